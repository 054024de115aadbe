import { Controller, Logger, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';

import { clientAddress } from '../../platform/http/client-address.ts';
import { DashboardPage } from '../../platform/http/dashboard-page.ts';
import { Open } from '../../platform/http/open-route.ts';
import { problemOf } from '../../platform/http/problem.ts';
import { PublicOrigin, WrongOrigin } from '../../platform/http/public-origin.ts';
import type { RequestNotes } from '../../platform/http/request-log.ts';
import { type KnownKey, KnownKeys } from '../../ports/api-keys.ts';
import type { Session } from '../../ports/sessions.ts';
import { FORM_TYPE, isForm } from '../../platform/http/form-body.ts';
import { UnsupportedMediaType } from '../../platform/http/json-body.ts';
import { SessionAudit } from './session-audit.ts';
import { SessionService } from './session.service.ts';
import { clearToken, setToken, tokenOf } from './session-token.ts';
import { SignInThrottle } from './sign-in-throttle.ts';

/** Stands for the address of a client whose proxy names none. */
const UNKNOWN = 'unknown';
const OK = 200;
const SEE_OTHER = 303;
const FORBIDDEN = 403;

/** The sign-in page's word for the refusal, by problem code. */
const WORDS: Readonly<Record<string, string>> = {
  unauthorized: 'wrong',
  too_many_wrong_keys: 'wait',
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

/** The plain forms by which a browser exchanges an API key for a session, and ends the session. */
@Open()
@ApiExcludeController()
@Controller('dashboard')
export class SignInController {
  private readonly log = new Logger('Sign-in');
  /** The sign-outs in progress, by session: many requests with one cookie are one sign-out. */
  private readonly closing = new Map<string, Promise<void>>();

  constructor(
    private readonly throttle: SignInThrottle,
    private readonly service: SessionService,
    private readonly keys: KnownKeys,
    private readonly audit: SessionAudit,
    private readonly origin: PublicOrigin,
    private readonly page: DashboardPage,
  ) {}

  /**
   * Answers with a redirection, as a form needs it, or with JSON if that is requested. A form of another origin gets the
   * page.
   */
  @Post('session')
  async signIn(@Req() request: Request, @Res() response: Response): Promise<void> {
    const isJson = request.accepts(['html', 'json']) === 'json';
    if (!this.isOwnForm(request, response, isJson)) return;
    const form = formOf(request);
    const next = nextPath(form.get('next') ?? '');
    try {
      const key = await this.keyOf(request, form.get('key') ?? '');
      response.status(isJson ? OK : SEE_OTHER);
      const { expiresAt } = await this.open(request, response, key);
      if (isJson) response.json({ name: key.name, role: key.role, expiresAt });
      else response.redirect(SEE_OTHER, next ?? PAGES);
    } catch (error) {
      const word = error instanceof Error && 'code' in error ? WORDS[String(error.code)] : undefined;
      if (isJson || word === undefined) throw error;
      const { 'retry-after': retryAfter } = problemOf(error, '', null).headers;
      if (word === 'wait' && retryAfter !== undefined) response.set('retry-after', retryAfter);
      const back = next === null ? '' : `&next=${encodeURIComponent(next)}`;
      response.redirect(SEE_OTHER, `${SIGN_IN_PAGE}?error=${word}${back}`);
    }
  }

  /** With `everywhere=true`, ends all sessions of the same API key. */
  @Post('sign-out')
  async signOut(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.origin.check(request);
    const isEverywhere = formOf(request).get('everywhere') === 'true';
    const isHttps = this.origin.isHttps(request);
    const token = tokenOf(request, isHttps);
    const session = token === null ? null : await this.service.find(token);
    if (session !== null) await this.closeOnce(request, session, isEverywhere);
    clearToken(response, isHttps);
    response.redirect(SEE_OTHER, SIGN_IN_PAGE);
  }

  /** Whether the form is of our own origin; otherwise sends the page, which explains the fault. */
  private isOwnForm(request: Request, response: Response, isJson: boolean): boolean {
    try {
      this.origin.check(request);
      return true;
    } catch (error) {
      if (isJson || !(error instanceof WrongOrigin)) throw error;
      (response.locals as RequestNotes).code = error.code;
      this.page.send(request, response, FORBIDDEN);
      return false;
    }
  }

  private async keyOf(request: Request, secret: string): Promise<KnownKey> {
    const address = clientAddress(request);
    const key = await this.throttle.keyOf(secret.trim(), address);
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
      const { token, ended } = await this.service.open(session, former);
      setToken(response, token, isHttps);
      return { status: response.statusCode, values: ended.length === 0 ? {} : { ended } };
    });
    return session;
  }

  private closeOnce(request: Request, session: Session, isEverywhere: boolean): Promise<void> {
    const which = `${session.id} ${isEverywhere}`;
    const running = this.closing.get(which);
    if (running !== undefined) return running;
    const closing = this.close(request, session, isEverywhere).finally(() => this.closing.delete(which));
    this.closing.set(which, closing);
    return closing;
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
      return { status: SEE_OTHER };
    });
  }
}

export const PAGES = '/dashboard';
export const SIGN_IN_PAGE = '/dashboard/sign-in';
const MAX_NEXT_LENGTH = 2_000;
/** Browsers and proxies read a match only as a path of this site. */
const PLAIN_PATH = /^\/dashboard(?:[/?#][^\\\s\p{Cc}]*)?$/u;

/** The parameters of a form, without repeated ones; none without a body. Throws UnsupportedMediaType. */
export function formOf(request: Request): ReadonlyMap<string, string> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  const hasBody = encoding !== undefined || length !== '0';
  if (hasBody && !isForm(request)) throw new UnsupportedMediaType(`Send the form as ${FORM_TYPE}.`);
  const parameters = Object.entries((request.body ?? {}) as Readonly<Record<string, unknown>>);
  return new Map(parameters.filter((each): each is [string, string] => typeof each[1] === 'string'));
}

/** The page to open after the sign-in: a path of the dashboard, without `.` and `..`. Null for anything else. */
export function nextPath(given: string): string | null {
  if (given.length > MAX_NEXT_LENGTH || !PLAIN_PATH.test(given)) return null;
  const { pathname, search, hash } = new URL(given, 'http://localhost');
  const isPage = pathname === PAGES || pathname.startsWith(`${PAGES}/`);
  return isPage ? `${pathname}${search}${hash}` : null;
}
