import { beforeAll, describe, expect, it } from '@jest/globals';

import { Browser, type Reply } from '../support/browser.ts';
import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const PROXY = '127.0.0.9';
const LONG_KEY = 'a-key-of-the-tests';
const SHORT_KEY = 'short-key';
const TRIES = 2_000;

let stage: Stage;
let one: SharedService;
let other: SharedService;
/** A key of the database, which is generated. */
let storedKey: string;
let addresses = 10;

beforeAll(async () => {
  stage = await Stage.open();
  const env = { TRUSTED_PROXIES: PROXY, API_KEYS: `test:${LONG_KEY},short:${SHORT_KEY}` };
  [one, other] = await Promise.all([stage.startWarm(env), stage.startWarm(env)]);
  const body = { name: 'ops', role: 'operator' };
  const made = await one.fetch('/api/keys', { method: 'POST', body, headers: { 'x-api-key': SHORT_KEY } });
  storedKey = String((await jsonOf(made, 201))['key']);
});

/** A client at an address that no other test has. */
function client(app = one, from = `127.0.0.${(addresses += 1)}`): Browser {
  return new Browser(app.url, { accept: 'application/json' }, from);
}

function ask(browser: Browser, key: string, more: Record<string, string> = {}): Promise<Reply> {
  return browser.get('/api/whoami', { 'x-api-key': key, ...more });
}

async function guess(browser: Browser, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < count; at += 1)
    statuses.push((await ask(browser, `wrong ${at} ${Math.random()}`)).status);
  return statuses;
}

/** The waits after the fifth wrong key and each later one. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 16_000];

/** Guesses in turn; expects that a guess is judged at once until the fifth, and then only after its wait, however slow the machine is. */
async function expectWaits(browser: Browser, count: number): Promise<void> {
  let judged = 0;
  let lastSentAt = 0;
  for (let at = 0; at < count; at += 1) {
    const sentAt = performance.now();
    const [status] = await guess(browser, 1);
    if (at < 5) expect(status).toBe(401);
    if (status === 401) {
      if (judged >= 5)
        expect(performance.now() - lastSentAt).toBeGreaterThanOrEqual(WAITS_MS[judged - 5] ?? Infinity);
      judged += 1;
      lastSentAt = sentAt;
    } else expect(status).toBe(429);
  }
}

describe('wrong keys from one address', () => {
  it('count together, whether they come in a header, as bearer or in the form, and then have to wait', async () => {
    const browser = client();
    const ways = [
      (key: string) => ask(browser, key),
      (key: string) => browser.get('/api/whoami', { authorization: `Bearer ${key}` }),
      (key: string) => browser.signIn(key),
    ];
    for (const [at, way] of [...ways, ...ways].slice(0, 5).entries())
      expect((await way(`wrong ${at}`)).status).toBe(401);
    for (const way of ways) {
      const { status, json, headers } = await way('another');
      expect([status, json.code, headers['content-type']]).toEqual([
        429,
        'too_many_wrong_keys',
        'application/problem+json; charset=utf-8',
      ]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  it('hold no right key back, of API_KEYS, of the database or in the form, and no session', async () => {
    const browser = client();
    await browser.signIn(storedKey);
    await expectWaits(browser, 40);
    expect((await ask(browser, LONG_KEY)).status).toBe(200);
    expect((await ask(browser, storedKey)).status).toBe(200);
    expect((await browser.get('/api/whoami')).status).toBe(200);
    expect((await browser.signIn(storedKey)).status).toBe(200);
  });

  it('do not show that a guess of a short key of API_KEYS is right', async () => {
    const browser = client();
    await guess(browser, 5);
    expect((await ask(browser, SHORT_KEY)).status).toBe(429);
    expect((await ask(client(), SHORT_KEY)).status).toBe(200);
  });

  it('are those of a client behind a proxy of TRUSTED_PROXIES, and of the connection without one', async () => {
    const proxied = client(one, PROXY);
    const by = (address: string) => ask(proxied, `wrong ${Math.random()}`, { 'x-forwarded-for': address });
    for (let at = 0; at < 5; at += 1) await by(`2001:db8:1:1::${at}`);
    expect([(await by('2001:db8:1:1::f')).status, (await by('2001:db8:1:2::f')).status]).toEqual([429, 401]);
    const direct = client();
    const pretending = (address: string) =>
      ask(direct, `wrong ${Math.random()}`, { 'x-forwarded-for': address });
    for (let at = 0; at < 5; at += 1) expect((await pretending(`198.51.100.${at}`)).status).toBe(401);
    expect((await pretending('198.51.100.9')).status).toBe(429);
  });

  it('are counted by all replicas together', async () => {
    const from = '127.0.0.200';
    const counted = async (): Promise<number> => {
      const sql = `SELECT wrong FROM wrong_key WHERE network = $1`;
      return (await stage.database.query<{ wrong: number }>(sql, [from]))[0]?.wrong ?? 0;
    };
    await guess(client(one, from), 5);
    await waitFor(async () => (await counted()) === 5);
    // As if more came in the minutes before: what the other replica hears must not end while this is tested.
    await stage.database.query(`UPDATE wrong_key SET wrong = 9 WHERE network = $1`, [from]);
    const elsewhere = client(other, from);
    expect(await guess(elsewhere, 1)).toEqual([401]);
    await waitFor(async () => (await counted()) === 10);
    await waitFor(async () => (await guess(elsewhere, 1))[0] === 429);
    expect(await counted()).toBeLessThan(15);
    const { headers } = await ask(elsewhere, 'wrong');
    expect(Number(headers['retry-after'])).toBeGreaterThan(20);
    expect((await ask(elsewhere, storedKey)).status).toBe(200);
  });

  it('that come in a flood cost hardly any statement, and a right key works all the while', async () => {
    const from = '127.0.0.201';
    const flooding = Array.from({ length: 8 }, () => guess(client(one, from), TRIES / 8));
    const right = client(one, from);
    expect((await ask(right, storedKey)).status).toBe(200);
    const statuses = (await Promise.all(flooding)).flat();
    expect((await ask(right, storedKey)).status).toBe(200);
    // Five at once, then one a second, two seconds, four …
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(15);
    expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
  });
});
