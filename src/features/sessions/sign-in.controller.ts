import { Controller, Logger, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';

import { clientAddress } from '../../platform/http/client-address.ts';
import { Open } from '../../platform/http/open-route.ts';
import { PublicOrigin } from '../../platform/http/public-origin.ts';
import { type KnownKey, KnownKeys } from '../../ports/api-keys.ts';
import type { Session } from '../../ports/sessions.ts';
import { SessionAudit } from './session-audit.ts';
import { SessionService } from './session.service.ts';
import { clearToken, setToken, tokenOf } from './session-token.ts';
import { formOf, nextPath, PAGES, SIGN_IN_PAGE } from './sign-in-form.ts';
import { SignInThrottle, TooManySignIns } from './sign-in-throttle.ts';

/** The address of a client whose proxy names none. */
const UNKNOWN = 'unknown';
const OK = 200;
const SEE_OTHER = 303;

/** What the sign-in page is told of a refusal, by the code of the problem. */
const WORDS: Readonly<Record<string, string>> = {
  unauthorized: 'wrong',
  too_many_sign_ins: 'wait',
  database_unavailable: 'unavailable',
};

/** The API key of a sign-in is not known. */
export class WrongKey extends Error {
  readonly code = 'unauthorized';
  constructor() {
    super('This API key is not known.');
  }
}

/** The plain forms by which a browser exchanges an API key for a session, and ends it. */
@Open()
@ApiExcludeController()
@Controller('dashboard')
export class SignInController {
  private readonly log = new Logger('Sign-in');

  constructor(
    private readonly throttle: SignInThrottle,
    private readonly service: SessionService,
    private readonly keys: KnownKeys,
    private readonly audit: SessionAudit,
    private readonly origin: PublicOrigin,
  ) {}

  /** Answers with a redirection, as a form needs it, or with JSON where that is asked for. */
  @Post('session')
  async signIn(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.origin.check(request);
    const form = formOf(request);
    const next = nextPath(form.get('next') ?? '');
    const isJson = request.accepts(['html', 'json']) === 'json';
    try {
      const key = await this.keyOf(request, form.get('key') ?? '');
      response.status(isJson ? OK : SEE_OTHER);
      const { expiresAt } = await this.open(request, response, key);
      if (isJson) response.json({ name: key.name, role: key.role, expiresAt });
      else response.redirect(SEE_OTHER, next ?? PAGES);
    } catch (error) {
      const word = error instanceof Error && 'code' in error ? WORDS[String(error.code)] : undefined;
      if (isJson || word === undefined) throw error;
      if (error instanceof TooManySignIns) response.set('retry-after', String(error.seconds));
      const back = next === null ? '' : `&next=${encodeURIComponent(next)}`;
      response.redirect(SEE_OTHER, `${SIGN_IN_PAGE}?error=${word}${back}`);
    }
  }

  /** With `everywhere=true` all sessions of the same API key end. */
  @Post('sign-out')
  async signOut(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.origin.check(request);
    const isEverywhere = formOf(request).get('everywhere') === 'true';
    const isHttps = this.origin.isHttps(request);
    const token = tokenOf(request, isHttps);
    const session = token === null ? null : await this.service.find(token);
    if (session !== null) await this.close(request, session, isEverywhere);
    clearToken(response, isHttps);
    response.redirect(SEE_OTHER, SIGN_IN_PAGE);
  }

  private async keyOf(request: Request, secret: string): Promise<KnownKey> {
    const address = clientAddress(request);
    const key = await this.throttle.keyOf(secret.trim(), address ?? UNKNOWN);
    if (key !== null) return key;
    this.log.warn({ msg: 'a sign-in is refused: its API key is not known', address });
    throw new WrongKey();
  }

  private async open(request: Request, response: Response, key: KnownKey): Promise<Session> {
    const address = clientAddress(request);
    const isHttps = this.origin.isHttps(request);
    const former = tokenOf(request, isHttps);
    const session = this.service.newSession(key, address ?? UNKNOWN, request.get('user-agent') ?? '');
    const { id: target, expiresAt } = session;
    const change = { who: key.name, role: key.role, address, action: 'session.sign_in', target };
    await this.audit.record({ ...change, values: { expiresAt: expiresAt.toISOString() } }, async () => {
      const token = await this.service.open(session);
      if (former !== null) await this.service.forget(former);
      setToken(response, token, isHttps);
      return response.statusCode;
    });
    return session;
  }

  private async close(request: Request, session: Session, isEverywhere: boolean): Promise<void> {
    const role = (await this.keys.keyOfHash(session.keyHash))?.role ?? null;
    const who = { who: session.keyName, role, address: clientAddress(request) };
    const change = {
      ...who,
      action: 'session.sign_out',
      target: session.id,
      values: { everywhere: isEverywhere },
    };
    await this.audit.record(change, async () => {
      await this.service.close(session, isEverywhere);
      return SEE_OTHER;
    });
  }
}
