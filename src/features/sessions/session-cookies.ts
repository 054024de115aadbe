import { Injectable } from '@nestjs/common';

import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { PublicOrigin } from '../../platform/http/public-origin.ts';
import { SessionKeys } from '../../platform/http/session-keys.ts';
import { SessionService } from './session.service.ts';
import { tokenOf } from './session-token.ts';

/** Methods that change nothing: a page gains nothing by making a browser send them. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The session of the request's cookie has ended, or never existed. */
export class SessionEnded extends Error {
  readonly code = 'unauthorized';
  constructor() {
    super('The session has ended: sign in again at /dashboard/sign-in.');
  }
}

/** Finds the session of a request by its cookie. */
@Injectable()
export class SessionCookies extends SessionKeys {
  constructor(
    private readonly service: SessionService,
    private readonly origin: PublicOrigin,
  ) {
    super();
  }

  /** Throws WrongOrigin, SessionEnded and StoreUnavailable. */
  override async keyHashOf(request: KeyedRequest): Promise<string | null> {
    const token = tokenOf(request, this.origin.isHttps(request));
    if (token === null) return null;
    if (request.session !== undefined) return (await this.service.find(token))?.keyHash ?? null;
    if (!SAFE_METHODS.has(request.method)) this.origin.check(request);
    const session = await this.service.use(token);
    if (session === null) throw new SessionEnded();
    request.session = session;
    // Keeps browsers from storing answers on the disk of a person who signs out.
    request.res?.set('cache-control', 'private, no-store');
    return session.keyHash;
  }
}
