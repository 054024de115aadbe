import { Controller, Delete, Get, Patch, Post, Put, Req } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';

import { SessionEntity } from '../../src/database/entities/session.entity.ts';
import { PostgresSessions } from '../../src/database/secrets/sessions.store.ts';
import { configOf } from '../support/config-of.ts';
import { SessionAudit } from '../../src/features/sessions/session-audit.ts';
import { SessionCookies } from '../../src/features/sessions/session-cookies.ts';
import { SessionService } from '../../src/features/sessions/session.service.ts';
import { SessionsController } from '../../src/features/sessions/sessions.controller.ts';
import { SignInController } from '../../src/features/sessions/sign-in.controller.ts';
import { SignInThrottle } from '../../src/features/sessions/sign-in-throttle.ts';
import { WhoamiController } from '../../src/features/sessions/whoami.controller.ts';
import { ACCESS, Allow } from '../../src/platform/http/access.ts';
import { DashboardPage } from '../../src/platform/http/dashboard-page.ts';
import type { KeyedRequest } from '../../src/platform/http/keyed-request.ts';
import { PublicOrigin } from '../../src/platform/http/public-origin.ts';
import { SessionKeys } from '../../src/platform/http/session-keys.ts';
import { AuditLog } from '../../src/ports/audit-log.ts';
import { Clock } from '../../src/ports/clock.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { SESSION_IDLE_MS, SESSION_MAX_MS, type Session, Sessions } from '../../src/ports/sessions.ts';
import { Timers } from '../../src/ports/timers.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { Browser } from '../support/browser.ts';
import { FakeAuditLog } from '../support/fakes/audit-log.fake.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { openReplicas } from '../support/replicas.ts';
import { ENV_KEY, ShellApp, STORED_KEY } from '../support/shell-app.ts';
import type { PaymentProvider } from '../../src/ports/payment-provider.ts';
import { ProviderCells } from '../../src/ports/provider-cell.ts';
import { cellsOf } from '../support/cells.ts';

const PROXY = '127.0.0.2';
const PUBLIC_URL = 'https://pay.example';
const MINUTE_MS = 60_000;
const IN_A_ROW = 60;
const MAX_SESSIONS = 100;
const BY_HTTPS = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };

/** A stream that stays open keeps its request. */
let lastRequest: KeyedRequest | undefined;

@Allow(ACCESS.read)
@Controller('api/things')
class ThingsController {
  @Get()
  read(@Req() request: KeyedRequest): object {
    lastRequest = request;
    return { name: request.apiKeyName, role: request.role };
  }
  @Post()
  create(): object {
    return {};
  }
  @Put()
  replace(): object {
    return {};
  }
  @Patch()
  change(): object {
    return {};
  }
  @Delete()
  remove(): object {
    return {};
  }
}

/** Sessions that cannot be reached while the database is down. */
class SessionsOfDatabase extends PostgresSessions {
  isDown = false;
  isReadOnly = false;
  looks = 0;
  override async find(tokenHash: string): Promise<Session | null> {
    this.looks += 1;
    if (this.isDown) throw new StoreUnavailable();
    return super.find(tokenHash);
  }
  override async addSession(session: Session, tokenHash: string, maxOfKey: number): Promise<string[]> {
    if (this.isDown || this.isReadOnly) throw new StoreUnavailable();
    return super.addSession(session, tokenHash, maxOfKey);
  }
  /** Removals wait for it. */
  gate: Promise<void> = Promise.resolve();
  override async remove(id: string): Promise<boolean> {
    await this.gate;
    return super.remove(id);
  }
  override async noteUse(id: string, at: Date, before: Date): Promise<void> {
    if (this.isReadOnly) throw new StoreUnavailable();
    return super.noteUse(id, at, before);
  }
}

class BarePage extends DashboardPage {
  override send(_request: Request, response: Response, status: number): void {
    response.status(status).send('<!doctype html>');
  }
}

const clock = new FakeClock();
const audit = new FakeAuditLog(clock);
const { one } = await openReplicas();
const sessions = new SessionsOfDatabase(one.database, one.source.getRepository(SessionEntity));
let shell: ShellApp;
let behindProxy: ShellApp;

function startShell(publicUrl: string | null): Promise<ShellApp> {
  return ShellApp.start(
    [SignInController, SessionsController, WhoamiController, ThingsController],
    [
      SessionAudit,
      SessionService,
      { provide: AuditLog, useValue: audit },
      SignInThrottle,
      { provide: Clock, useValue: clock },
      { provide: Timers, useValue: clock.timers },
      { provide: Sessions, useValue: sessions },
      { provide: PublicOrigin, useValue: new PublicOrigin(publicUrl) },
      { provide: DashboardPage, useClass: BarePage },
      { provide: SessionKeys, useClass: SessionCookies },
      {
        provide: ProviderCells,
        useValue: cellsOf({ provider: { name: 'sandbox', isSimulated: true } as PaymentProvider }),
      },
    ],
  );
}

beforeAll(async () => {
  shell = await startShell(null);
  shell.app.set('trust proxy', [PROXY]);
  behindProxy = await startShell(configOf({ PUBLIC_URL: `${PUBLIC_URL}:443` }).publicUrl);
});

afterAll(async () => {
  await shell.stop();
  await behindProxy.stop();
});

beforeEach(async () => {
  await sessions.removeAll();
  Object.assign(sessions, { isDown: false, isReadOnly: false });
  // Wrong tries of the test before are forgotten.
  clock.advance(10 * MINUTE_MS);
});

async function signedIn(key = ENV_KEY): Promise<Browser> {
  const browser = new Browser(shell.url);
  expect((await browser.signIn(key)).status).toBe(303);
  return browser;
}

async function statusOf(browser: Browser): Promise<number> {
  return (await browser.get('/api/things')).status;
}

describe('a sign-in', () => {
  it('exchanges a key for a cookie that no script reads, no other site sends and no other host gets', async () => {
    const browser = new Browser(shell.url);
    const answer = await browser.signIn(STORED_KEY);
    expect([answer.status, answer.headers['location']]).toEqual([303, '/dashboard']);
    const [cookie = '', ...more] = answer.cookies;
    const [value, ...flags] = cookie.split('; ').filter((part) => !part.startsWith('Expires='));
    expect(value).toMatch(/^paybell_session=pbs_[\w-]{65}$/);
    expect(flags.sort()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict']);
    expect(more).toEqual([]);
    expect((await browser.get('/api/things')).json).toEqual({ name: 'ops', role: 'operator' });
  });

  it('says who is signed in, and until when', async () => {
    const browser = await signedIn(STORED_KEY);
    const now = clock.now().getTime();
    const providers = ['sandbox'];
    const who = {
      name: 'ops',
      role: 'operator',
      providers,
      sandbox: true,
      version: expect.stringMatching(/^\d/),
    };
    expect((await browser.get('/api/whoami')).json).toEqual({
      ...who,
      via: 'session',
      expiresAt: new Date(now + SESSION_MAX_MS).toISOString(),
      idleUntil: new Date(now + SESSION_IDLE_MS).toISOString(),
    });
    const byKey = await browser.get('/api/whoami', { 'x-api-key': STORED_KEY });
    expect(byKey.json).toEqual({ ...who, via: 'key', expiresAt: null, idleUntil: null });
  });

  it('answers JSON to those who ask for it', async () => {
    const browser = new Browser(shell.url);
    const accept = { accept: 'application/json' };
    const right = await browser.signIn(STORED_KEY, {}, accept);
    const expiresAt = new Date(clock.now().getTime() + SESSION_MAX_MS).toISOString();
    expect([right.status, right.json]).toEqual([200, { name: 'ops', role: 'operator', expiresAt }]);
    expect(right.cookies).toHaveLength(1);
    const wrong = await browser.signIn('wrong', {}, accept);
    expect([wrong.status, wrong.json.code]).toEqual([401, 'unauthorized']);
    expect(wrong.cookies).toEqual([]);
  });

  it('goes on to the page that was asked for, and to no other site', async () => {
    const to = async (next: string, key = ENV_KEY): Promise<unknown> =>
      (await new Browser(shell.url).signIn(key, { next })).headers['location'];
    expect(await to('/dashboard/payments?status=FAILED')).toBe('/dashboard/payments?status=FAILED');
    expect(await to('/dashboard/a?b=c&d', 'wrong')).toBe(
      '/dashboard/sign-in?error=wrong&next=%2Fdashboard%2Fa%3Fb%3Dc%26d',
    );
    expect(await to('https://evil.example')).toBe('/dashboard');
    expect(await to('https://evil.example', 'wrong')).toBe('/dashboard/sign-in?error=wrong');
  });

  it('ends the former session of the browser', async () => {
    const browser = await signedIn();
    await browser.signIn(STORED_KEY);
    const { json } = await browser.get('/api/sessions', { 'x-api-key': ENV_KEY });
    expect(json.data.map(({ keyName }: { keyName: string }) => keyName)).toEqual(['ops']);
  });

  it('takes a key with spaces around it, as it is pasted', async () => {
    expect((await new Browser(shell.url).signIn(`  ${ENV_KEY}\n`)).headers['location']).toBe('/dashboard');
  });

  it.each<[string, string | undefined, string, number, string]>([
    ['JSON', 'application/json', '{"key":"x"}', 415, 'unsupported_media_type'],
    ['no type', undefined, 'key=x', 415, 'unsupported_media_type'],
    ['5 kB', 'application/x-www-form-urlencoded', `key=${'x'.repeat(5_000)}`, 413, 'body_too_large'],
  ])('reads plain forms of up to 4 KiB only, not %s', async (_what, type, body, status, code) => {
    const answer = await new Browser(shell.url).send(
      'POST',
      '/dashboard/session',
      { 'content-type': type },
      body,
    );
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it.each(['', 'key=a&key=b', 'key[a]=b'])('without one key is a wrong one: %j', async (body) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await new Browser(shell.url).send('POST', '/dashboard/session', type, body);
    expect(answer.headers['location']).toMatch(/^\/dashboard\/sign-in\?error=wrong/);
  });

  it('says that the database is away', async () => {
    sessions.isDown = true;
    const browser = new Browser(shell.url);
    expect((await browser.signIn(ENV_KEY)).headers['location']).toBe('/dashboard/sign-in?error=unavailable');
    const asJson = await browser.signIn(ENV_KEY, {}, { accept: 'application/json' });
    expect([asJson.status, asJson.json.code]).toEqual([503, 'database_unavailable']);
  });

  it('with a wrong key has to wait after wrong ones, as long as Retry-After says; a right key, and other addresses, do not', async () => {
    const browser = new Browser(shell.url);
    for (let count = 0; count < 5; count += 1)
      expect((await browser.signIn(`wrong ${count}`)).headers['location']).toContain('error=wrong');
    const early = await browser.signIn('wrong');
    expect([early.status, early.headers['location']]).toEqual([303, '/dashboard/sign-in?error=wait']);
    expect([early.headers['retry-after'], early.cookies]).toEqual(['1', []]);
    const asJson = await browser.signIn('wrong', {}, { accept: 'application/json' });
    expect([asJson.status, asJson.json.code, asJson.headers['retry-after']]).toEqual([
      429,
      'too_many_wrong_keys',
      '1',
    ]);
    expect((await browser.signIn(ENV_KEY)).headers['location']).toBe('/dashboard');
    const elsewhere = new Browser(shell.url, { 'x-forwarded-for': '203.0.113.9' }, PROXY);
    expect((await elsewhere.signIn('wrong 9')).headers['location']).toContain('error=wrong');
    const pretended = new Browser(shell.url, { 'x-forwarded-for': '203.0.113.9' });
    expect((await pretended.signIn('wrong 8')).headers['location']).toContain('error=wait');
    clock.advance(1_000);
    expect((await browser.signIn('wrong 7')).headers['location']).toContain('error=wrong');
  });
});

describe('behind https', () => {
  it('the cookie is Secure and has the prefix that no other host can set, as a trusted proxy says', async () => {
    const browser = new Browser(
      shell.url,
      { ...BY_HTTPS, origin: shell.url.replace('http:', 'https:') },
      PROXY,
    );
    const { cookies } = await browser.signIn(ENV_KEY);
    expect(cookies[0]).toMatch(
      /^__Host-paybell_session=pbs_.*; Path=\/; .*; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(await statusOf(browser)).toBe(200);
    const { json } = await browser.get('/api/sessions');
    expect(json.data[0]).toMatchObject({ address: '203.0.113.7', current: true });
  });

  it('a header that anybody can send changes nothing', async () => {
    const browser = new Browser(shell.url, BY_HTTPS);
    const { cookies } = await browser.signIn(ENV_KEY);
    expect(cookies[0]).toMatch(/^paybell_session=/);
    expect(cookies[0]).not.toContain('Secure');
    expect((await browser.get('/api/sessions')).json.data[0].address).toBe('127.0.0.1');
  });

  it('PUBLIC_URL says so without a proxy that is trusted', async () => {
    const browser = new Browser(behindProxy.url, { origin: PUBLIC_URL });
    const { status, cookies } = await browser.signIn(ENV_KEY);
    expect([status, cookies[0]]).toEqual([303, expect.stringMatching(/^__Host-paybell_session=.*; Secure/)]);
    expect(await statusOf(browser)).toBe(200);
  });

  it('a cookie without the prefix counts for nothing', async () => {
    const plain = await signedIn();
    const browser = new Browser(behindProxy.url, { cookie: `paybell_session=${plain.cookie()}` });
    expect(await statusOf(browser)).toBe(401);
  });
});

describe('a session', () => {
  it('ends an hour after its last use', async () => {
    const browser = await signedIn();
    for (let count = 0; count < 3; count += 1) {
      clock.advance(SESSION_IDLE_MS - 1);
      expect(await statusOf(browser)).toBe(200);
    }
    clock.advance(SESSION_IDLE_MS);
    const answer = await browser.get('/api/things');
    expect([answer.status, answer.json.code, answer.json.detail]).toEqual([
      401,
      'unauthorized',
      expect.stringContaining('session has ended'),
    ]);
  });

  it('ends twelve hours after the sign-in, however much it is used', async () => {
    const browser = await signedIn();
    const step = SESSION_IDLE_MS / 2;
    for (let passedMs = step; passedMs < SESSION_MAX_MS; passedMs += step) {
      clock.advance(step);
      expect(await statusOf(browser)).toBe(200);
    }
    clock.advance(step);
    expect(await statusOf(browser)).toBe(401);
  });

  it('may do what the role of its key allows now, and nothing once the key is revoked', async () => {
    const browser = await signedIn(STORED_KEY);
    const KEY_CACHE_MS = 10_000;
    shell.storedKeys.role = 'viewer';
    clock.advance(KEY_CACHE_MS);
    expect((await browser.get('/api/things')).json).toEqual({ name: 'ops', role: 'viewer' });
    shell.storedKeys.role = null;
    clock.advance(KEY_CACHE_MS);
    expect(await statusOf(browser)).toBe(401);
    const admin = await signedIn();
    const { json } = await admin.get('/api/sessions');
    const roles = json.data.map(({ keyName, role }: Record<string, unknown>) => [keyName, role]);
    expect(roles).toEqual(
      expect.arrayContaining([
        ['ops', null],
        ['shop', 'admin'],
      ]),
    );
    shell.storedKeys.role = 'operator';
    clock.advance(KEY_CACHE_MS);
  });

  it('writes its use down at most once a minute', async () => {
    const browser = await signedIn();
    const begin = clock.now();
    const noted = async (): Promise<unknown> => (await sessions.list(clock.now(), 1))[0]?.lastUsedAt;
    clock.advance(MINUTE_MS - 1);
    await browser.get('/api/things');
    expect(await noted()).toEqual(begin);
    clock.advance(1);
    await browser.get('/api/things');
    expect(await noted()).toEqual(new Date(begin.getTime() + MINUTE_MS));
  });

  it('goes on where the database takes no writes, and is neither there nor not while it is away', async () => {
    const browser = await signedIn();
    sessions.isReadOnly = true;
    clock.advance(2 * MINUTE_MS);
    expect(await statusOf(browser)).toBe(200);
    sessions.isDown = true;
    const answer = await browser.get('/api/things');
    expect([answer.status, answer.json.code]).toEqual([503, 'database_unavailable']);
  });

  it('ends with a stream that it opened', async () => {
    const browser = await signedIn();
    await browser.get('/api/things');
    const stream = lastRequest;
    const [begin] = await sessions.list(clock.now(), 1);
    clock.advance(SESSION_IDLE_MS - 1);
    expect(await stream?.isKeyKnown?.()).toBe(true);
    // A stream that stays open does not prolong a session.
    expect(await sessions.list(clock.now(), 1)).toEqual([begin]);
    clock.advance(1);
    expect(await stream?.isKeyKnown?.()).toBe(false);
  });

  it.each(['', `pbs_${'A'.repeat(65)}`, `pbs_${'A'.repeat(66)}`, '"; DROP TABLE', 'pbs_%00'])(
    'is not made up: %j, which costs no query',
    async (token) => {
      const browser = new Browser(shell.url, { cookie: `a=b; paybell_session=${token}; c` });
      const { looks } = sessions;
      expect(await statusOf(browser)).toBe(401);
      expect((await browser.post('/dashboard/sign-out', {})).status).toBe(303);
      expect(sessions.looks).toBe(looks);
    },
  );

  it('is found by the whole token alone', async () => {
    const token = (await signedIn()).cookie();
    for (const at of [4, token.length - 1]) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const near = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
      expect(await statusOf(new Browser(shell.url, { cookie: `paybell_session=${near}` }))).toBe(401);
    }
    expect(await statusOf(new Browser(shell.url, { cookie: `paybell_session=${token}` }))).toBe(200);
  });

  it('leaves nothing in the cache of its browser', async () => {
    const browser = await signedIn();
    const answer = await browser.get('/api/things');
    expect(answer.headers['cache-control']).toBe('private, no-store');
    const byKey = await browser.get('/api/things', { 'x-api-key': ENV_KEY });
    expect(byKey.headers['cache-control']).toBe('private, no-cache');
  });
});

describe('the audit log', () => {
  it('has who signed in and out, from where and for how long, and no token', async () => {
    const before = audit.entries.length;
    const browser = await signedIn(STORED_KEY);
    const [session] = await sessions.list(clock.now(), 1);
    await browser.post('/dashboard/sign-out', { everywhere: 'true' });
    await new Browser(shell.url).signIn('wrong');
    const ops = { who: 'ops', role: 'operator', address: '127.0.0.1', via: 'session', target: session?.id };
    const entries = audit.entries.slice(before);
    expect(entries).toMatchObject([
      {
        ...ops,
        action: 'session.sign_in',
        status: 303,
        values: { expiresAt: session?.expiresAt.toISOString() },
      },
      { ...ops, action: 'session.sign_out', status: 303, values: { everywhere: true } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('pbs_');
  });

  it('names the sessions that end for a sign-in: of too many the one used least, and the former one of the browser', async () => {
    clock.advance(IN_A_ROW * MINUTE_MS);
    const browser = await signedIn();
    const [former] = await sessions.list(clock.now(), 1);
    for (let count = 1; count < MAX_SESSIONS; count += 1) {
      clock.advance(MINUTE_MS / 2);
      await signedIn();
    }
    const ended = (): unknown => audit.entries.at(-1)?.values['ended'];
    expect(ended()).toBeUndefined();
    await signedIn();
    expect(ended()).toEqual([former?.id]);
    expect(await statusOf(browser)).toBe(401);
    const other = await signedIn(STORED_KEY);
    const [{ id }] = (await sessions.list(clock.now(), MAX_SESSIONS)).filter(
      ({ keyName }) => keyName === 'ops',
    ) as [Session];
    await other.signIn(STORED_KEY);
    expect(ended()).toEqual([id]);
  });

  it('is not filled by one key that signs in and out without end', async () => {
    clock.advance(IN_A_ROW * MINUTE_MS);
    const before = audit.entries.length;
    const codes: unknown[] = [];
    for (let count = 0; count < IN_A_ROW + 5; count += 1) {
      const { headers } = await new Browser(shell.url).signIn(STORED_KEY);
      codes.push(`${String(headers['location'])} ${String(headers['retry-after'])}`);
    }
    expect(new Set(codes.slice(0, IN_A_ROW))).toEqual(new Set(['/dashboard undefined']));
    expect(codes.at(-1)).toBe('/dashboard/sign-in?error=wait 60');
    expect(audit.entries.length - before).toBe(IN_A_ROW);
    const asJson = await new Browser(shell.url).signIn(STORED_KEY, {}, { accept: 'application/json' });
    expect([asJson.status, asJson.json.code, asJson.json.detail]).toEqual([
      429,
      'too_many_sign_ins',
      expect.stringContaining('too often'),
    ]);
    await signedIn(ENV_KEY);
    clock.advance(MINUTE_MS);
    const browser = await signedIn(STORED_KEY);
    let open = (): void => undefined;
    sessions.gate = new Promise((done) => (open = done));
    const { looks } = sessions;
    const forms = [...Array.from({ length: 20 }, () => ({})), { everywhere: 'true' }];
    const signOuts = forms.map((form) => browser.post('/dashboard/sign-out', form));
    await waitFor(() => sessions.looks === looks + forms.length);
    open();
    for (const { status } of await Promise.all(signOuts)) expect(status).toBe(303);
    const since = audit.entries.slice(before).filter(({ action }) => action === 'session.sign_out');
    expect(since.map(({ values }) => String(values['everywhere'])).toSorted()).toEqual(['false', 'true']);
  });
});

describe('a sign-out', () => {
  it('ends the session and takes the cookie back', async () => {
    const [browser, other] = [await signedIn(), await signedIn()];
    const { headers, status, cookies } = await browser.post('/dashboard/sign-out', {});
    expect([status, headers['location']]).toEqual([303, '/dashboard/sign-in']);
    expect(cookies[0]).toMatch(/^paybell_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
    const [cookie] = cookies;
    expect(cookie).toContain('HttpOnly');
    expect([await statusOf(browser), await statusOf(other)]).toEqual([401, 200]);
  });

  it('everywhere ends all sessions of the key, and no others', async () => {
    const [browser, same, other] = [await signedIn(), await signedIn(), await signedIn(STORED_KEY)];
    await browser.post('/dashboard/sign-out', { everywhere: 'true' });
    const statuses = [await statusOf(browser), await statusOf(same), await statusOf(other)];
    expect(statuses).toEqual([401, 401, 200]);
  });

  it('of somebody who is not signed in is no fault', async () => {
    const answer = await new Browser(shell.url).send('POST', '/dashboard/sign-out');
    expect([answer.status, answer.headers['location']]).toEqual([303, '/dashboard/sign-in']);
  });
});

describe('the Origin of a request', () => {
  const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];
  const own = (): string => shell.url;

  it.each([
    ['missing', (): undefined => undefined],
    ['null', (): string => 'null'],
    ['of another host', (): string => 'https://evil.example'],
    ['of another scheme', (): string => own().replace('http:', 'https:')],
    ['with a path', (): string => `${own()}/`],
  ])('that is %s changes nothing with a session, signs nobody in and nobody out', async (_what, originOf) => {
    const browser = await signedIn();
    const origin = originOf();
    const answers = [];
    for (const method of METHODS) answers.push(await browser.send(method, '/api/things', { origin }));
    answers.push(await browser.post('/dashboard/sign-out', {}, { origin }));
    const accept = 'application/json';
    answers.push(await new Browser(shell.url).signIn(ENV_KEY, {}, { origin, accept }));
    const page = await new Browser(shell.url).signIn(ENV_KEY, {}, { origin });
    expect([page.status, page.text, page.cookies]).toEqual([403, '<!doctype html>', []]);
    for (const { status, json, cookies } of answers) {
      expect([status, json.code, cookies]).toEqual([403, 'wrong_origin', []]);
      expect(json.detail).toContain(own());
      expect(json.detail).toContain('PUBLIC_URL');
    }
    expect(await statusOf(browser)).toBe(200);
  });

  it('that is right changes what the role allows', async () => {
    const browser = await signedIn();
    const statuses = [];
    for (const method of METHODS) statuses.push((await browser.send(method, '/api/things')).status);
    expect(statuses).toEqual([201, 200, 200, 200]);
  });

  it('does not matter for reading, nor with a key in a header', async () => {
    const browser = await signedIn();
    for (const method of ['GET', 'HEAD'])
      expect((await browser.send(method, '/api/things', { origin: 'https://evil.example' })).status).toBe(
        200,
      );
    for (const origin of [undefined, 'null', 'https://evil.example']) {
      const headers = { 'x-api-key': ENV_KEY, origin };
      expect((await browser.send('POST', '/api/things', headers)).status).toBe(201);
    }
  });

  it('is compared with the Host, and with a forwarded one only from a trusted proxy', async () => {
    const forwarded = { 'x-forwarded-host': 'pay.example', 'x-forwarded-proto': 'https' };
    const send = (headers: Record<string, string>, from?: string) =>
      new Browser(shell.url, headers, from).signIn(ENV_KEY);
    expect((await send({ ...forwarded, origin: PUBLIC_URL }, PROXY)).status).toBe(303);
    expect((await send({ ...forwarded, origin: PUBLIC_URL })).status).toBe(403);
    expect((await send({ host: 'Pay.Example:80', origin: 'http://pay.example' })).status).toBe(303);
    expect((await send({ host: 'pay.example:8080', origin: 'http://pay.example' })).status).toBe(403);
    expect((await send({ host: 'a b', origin: 'null' })).status).toBe(403);
    expect((await send({ 'x-forwarded-proto': 'x', origin: 'null' }, PROXY)).status).toBe(403);
  });

  it('is compared with PUBLIC_URL where it is set, whatever the Host', async () => {
    const accept = 'application/json';
    const send = (origin: string, headers = {}) =>
      new Browser(behindProxy.url, { origin }).signIn(ENV_KEY, {}, headers);
    expect((await send(PUBLIC_URL)).status).toBe(303);
    const { status, json } = await send(behindProxy.url, { accept });
    expect([status, json.detail]).toEqual([403, expect.stringContaining(`expected is ${PUBLIC_URL}`)]);
  });
});

describe('/api/sessions', () => {
  it('lists who is signed in, without tokens and hashes, and marks the own session', async () => {
    const browser = new Browser(shell.url, { 'user-agent': `Mozilla/5.0 ${'x'.repeat(300)}` });
    await browser.signIn(ENV_KEY);
    const at = clock.now().getTime();
    clock.advance(1_000);
    const other = await signedIn(STORED_KEY);
    const { json, text } = await browser.get('/api/sessions');
    expect(json.data[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      keyName: 'shop',
      role: 'admin',
      current: true,
      createdAt: new Date(at).toISOString(),
      lastUsedAt: new Date(at).toISOString(),
      idleUntil: new Date(at + SESSION_IDLE_MS).toISOString(),
      expiresAt: new Date(at + SESSION_MAX_MS).toISOString(),
      address: '127.0.0.1',
      userAgent: `Mozilla/5.0 ${'x'.repeat(188)}`,
    });
    expect(json.data[0]).toMatchObject({ keyName: 'ops', role: 'operator', current: false });
    for (const token of [browser.cookie(), other.cookie()]) expect(text).not.toContain(token);
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });

  it('ends one, or all', async () => {
    const [browser, other] = [await signedIn(), await signedIn(STORED_KEY)];
    const { json } = await browser.get('/api/sessions');
    const { id } = json.data.find(({ current }: { current: boolean }) => !current);
    expect((await browser.send('DELETE', `/api/sessions/${id}`)).status).toBe(204);
    expect([await statusOf(browser), await statusOf(other)]).toEqual([200, 401]);
    const gone = await browser.send('DELETE', `/api/sessions/${id}`);
    expect([gone.status, gone.json.code]).toEqual([404, 'unknown_session']);
    expect((await browser.send('DELETE', '/api/sessions/not-an-id')).status).toBe(404);
    expect((await browser.send('DELETE', '/api/sessions')).json).toEqual({ count: 1 });
    expect(await statusOf(browser)).toBe(401);
  });
});

it('logs no key and no token of all these', () => {
  const text = JSON.stringify([...shell.logged, ...behindProxy.logged]);
  expect(text).toContain('a sign-in is refused');
  expect(text).not.toContain('pbs_');
  for (const key of [ENV_KEY, STORED_KEY, 'wrong 1']) expect(text).not.toContain(key);
});
