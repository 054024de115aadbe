import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, jest, beforeEach } from '@jest/globals';
import { StartupReport, StartupSettings } from '../../src/features/health/startup-report.ts';
import type { ThisReplica } from '../../src/ports/replicas.ts';
import { randomBytes } from 'node:crypto';
import { fingerprintsOf } from '../../src/platform/process/agreed-settings.ts';
import { configOf } from '../support/config-of.ts';
import { disagreementsOf, disagreementWords } from '../../src/domain/replicas/disagreements.ts';
import {
  endpointName,
  loggedDescription,
  loggedOrderId,
  ofOrder,
} from '../../src/domain/text/log-context.ts';
import { StructuredLogger } from '../../src/platform/process/logging.ts';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { CorrectedClock } from '../../src/platform/process/corrected-clock.ts';
import { VirtualClock } from '../../tools/simulation/virtual-clock.ts';

describe('startup report', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  let said: unknown[][];

  function warningsOf(host: string, publicUrl: string | null, servesDashboard = true): unknown[] {
    said = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined).mock.calls;
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const settings = new StartupSettings(['sandbox'], 7_000, host, publicUrl, servesDashboard, 'fail');
    new StartupReport(settings, {
      id: 'r-1',
      roles: ['api'],
    } as unknown as ThisReplica).onApplicationBootstrap();
    return warn.mock.calls.map(([line]) => line);
  }

  it('says what UNDERPAID means', () => {
    warningsOf('127.0.0.1', null);
    expect(said.flat()).toContainEqual(expect.stringMatching(/^UNDERPAID=fail: a payment is FAILED/));
  });

  describe('a start whose pages others than this machine reach', () => {
    it.each(['0.0.0.0', '::', '192.0.2.1', 'paybell.internal'])('says to set PUBLIC_URL, on %s', (host) => {
      expect(warningsOf(host, null)).toEqual([
        expect.stringContaining(`HOST is ${host} and PUBLIC_URL is not set`),
      ]);
    });

    it.each<[string, string | null, boolean]>([
      ['127.0.0.1', null, true],
      ['::1', null, true],
      ['localhost', null, true],
      ['0.0.0.0', 'https://pay.example', true],
      ['0.0.0.0', null, false],
    ])('says nothing where that is not so: HOST %s, PUBLIC_URL %s, pages %s', (host, publicUrl, pages) => {
      expect(warningsOf(host, publicUrl, pages)).toEqual([]);
    });
  });
});

const KEY = randomBytes(32).toString('base64');
const ENV = {
  DATABASE_URL: 'postgres://127.0.0.1/paybell',
  ENCRYPTION_KEY: KEY,
  PROVIDER_BASE_URL: 'https://provider.example',
  PROVIDER_API_KEY: 'provider-key-of-a-merchant',
  API_KEYS: 'shop:a-secret-of-the-shop-0123456789',
  RABBITMQ_URL: 'amqp://user:password-of-the-broker@broker.example',
};

const replica = (id: string, env: Record<string, string> = {}) => {
  const config = configOf({ ...ENV, ...env });
  return { id, roles: [...config.roles], settings: fingerprintsOf(config) };
};
const words = (...replicas: ReturnType<typeof replica>[]): string[] =>
  disagreementsOf(replicas).map(disagreementWords);

describe('the settings that replicas must agree on', () => {
  it('have fingerprints that show no value', () => {
    const shown = JSON.stringify(replica('one').settings);
    for (const value of Object.values(ENV)) expect(shown).not.toContain(value);
    for (const fingerprint of Object.values(replica('one').settings))
      expect(fingerprint).toMatch(/^(?:unset|set|(?:[0-9a-f]{12}:)?[0-9a-f]{12})$/);
  });

  it('have no fingerprint of a secret without a key to make it with', () => {
    const { settings } = replica('one', { DATABASE_URL: '', ENCRYPTION_KEY: '' });
    const other = replica('two', {
      DATABASE_URL: '',
      ENCRYPTION_KEY: '',
      API_KEYS: 'shop:another-0123456789',
    });
    expect(other.settings['API_KEYS']).toBe(settings['API_KEYS']);
    expect(settings).toMatchObject({ API_KEYS: 'set', PROVIDER_API_KEY: 'set' });
  });

  it('agree in replicas that are set alike, whatever else they have', () => {
    const two = replica('two', { PORT: '4000', LOG_LEVEL: 'debug', RABBITMQ_URL: 'amqp://other.example' });
    expect(words(replica('one'), two)).toEqual([]);
  });

  it('are compared among the replicas whose roles use them', () => {
    const [one, api] = [replica('one'), replica('two', { ROLES: 'api', RABBITMQ_URL: '' })];
    expect(words(one, api)).toEqual([]);
    expect(words(one, replica('two', { ROLES: 'dispatcher', RABBITMQ_URL: '' }), api)).toEqual([
      'RABBITMQ_URL is set in one (api, tracker, dispatcher, public), and not in two (dispatcher)',
    ]);
  });

  it.each([
    ['POLL_INTERVAL_MS', '9000'],
    ['PROVIDER_API_KEY', 'another-key-of-a-merchant'],
    ['API_KEYS', 'shop:another-secret-of-the-shop-01234'],
    ['EVENT_SOURCE', 'other'],
    ['WEBHOOK_RETRY_SCHEDULE', '5s,10s'],
  ])('%s is told where it differs', (name, value) => {
    expect(words(replica('one'), replica('two', { [name]: value }), replica('three'))).toEqual([
      expect.stringMatching(
        new RegExp(`^${name} is one thing in one \\(.*\\), three \\(.*\\), another in two \\(.*\\)$`),
      ),
    ]);
  });

  it('have secrets that cannot be compared where the encryption key differs, which is told instead', () => {
    const two = replica('two', { ENCRYPTION_KEY: randomBytes(32).toString('base64') });
    expect(words(replica('one'), two)).toEqual([
      expect.stringMatching(/^ENCRYPTION_KEY is one thing in one /),
    ]);
  });

  it('are not compared with a replica of a release that does not say them', () => {
    expect(words(replica('one'), { id: 'old', roles: ['api'], settings: {} })).toEqual([]);
  });
});

const HOSTILE = 'A\u202e17\u2028{"level":"fatal"}\r\n\u0000\u200b\ud800B';

describe('the words of users in a log', () => {
  it.each([
    ['A-17', ' (order A-17)'],
    ['shop/2026:17#3@x.y+z', ' (order shop/2026:17#3@x.y+z)'],
    ['A 17', ' (order "A 17")'],
    ['1) failed ("x', ' (order "1) failed (\\"x")'],
    ['Käse', ' (order "Käse")'],
    ['', ' (order "")'],
    [null, ''],
  ])('are an order %j as %j', (orderId, words) => {
    expect(ofOrder(orderId)).toBe(words);
  });

  it('are the name of an endpoint, behind its id', () => {
    expect(endpointName('e-1', 'shop EU')).toBe('e-1 ("shop EU")');
    expect(endpointName('e-1', null)).toBe('e-1');
    expect(endpointName('e-1', ' \u202e\n')).toBe('e-1');
  });

  it('are one printable line, whatever they hold', () => {
    for (const text of [ofOrder(HOSTILE), endpointName('e', HOSTILE), loggedOrderId(HOSTILE)]) {
      expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202e\u200b]/u);
      expect(text).toContain('A 17');
    }
    expect(loggedDescription('👨‍👩‍👧 می‌خواهم')).toBe('👨‍👩‍👧 می‌خواهم');
  });

  it('are cut, between characters', () => {
    expect(loggedDescription('x'.repeat(500))).toBe(`${'x'.repeat(79)}…`);
    expect(loggedDescription('x'.repeat(80))).toBe('x'.repeat(80));
    expect(loggedDescription(`${'x'.repeat(78)}😀😀`)).toBe(`${'x'.repeat(78)}…`);
    expect(loggedDescription(`😀${'x'.repeat(90)}`)).toBe(`😀${'x'.repeat(77)}…`);
    expect(loggedOrderId('x'.repeat(200))).toBe('x'.repeat(200));
    expect(loggedOrderId('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
  });
});

type Line = Record<string, unknown> & { msg: string };

function logger(level: 'info' | 'trace' | 'silent' = 'trace'): {
  log: StructuredLogger;
  lines: () => Line[];
  raw: () => string;
} {
  let written = '';
  const log = new StructuredLogger(level, { write: (text: string) => void (written += text) });
  const lines = (): Line[] =>
    written
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  return { log, lines, raw: () => written };
}

describe('the log', () => {
  it('is one line of JSON with time, level, context and message', () => {
    const { log, lines } = logger();
    log.log('listening', 'Paybell');
    expect(lines()).toEqual([
      { level: 'info', time: expect.any(String), context: 'Paybell', msg: 'listening' },
    ]);
  });

  it('keeps the fields of an object', () => {
    const { log, lines } = logger();
    log.warn({ msg: 'slow', ms: 12.5, nested: { at: new Date(0) } }, 'Http');
    expect(lines()[0]).toMatchObject({
      msg: 'slow',
      ms: 12.5,
      nested: { at: '1970-01-01T00:00:00.000Z' },
      context: 'Http',
    });
  });

  it("takes what Nest's own Logger hands over", () => {
    const { log, lines } = logger();
    const previous = Logger.overrideLogger(log);
    new Logger('Tracker').error('failed', new Error('boom').stack);
    Logger.overrideLogger((previous as never) ?? false);
    expect(lines()[0]).toMatchObject({
      level: 'error',
      msg: 'failed',
      context: 'Tracker',
      stack: expect.stringContaining('boom'),
    });
  });

  it('logs stacks at error level only', () => {
    const { log, lines } = logger();
    const error = new Error('outer', { cause: new TypeError('inner') });
    for (const level of ['error', 'warn', 'log', 'debug'] as const) log[level]({ msg: 'x', err: error }, 'C');
    const [atError, ...others] = lines();
    expect(atError).toMatchObject({
      err: { type: 'Error', message: 'outer', stack: expect.any(String), cause: { type: 'TypeError' } },
    });
    for (const line of others) expect(JSON.stringify(line)).not.toContain('process.test');
  });

  it('writes nothing below its level, and nothing at all when silent', () => {
    const info = logger('info');
    info.log.debug('hidden');
    info.log.log('Mapped {/api} route', 'RouterExplorer');
    info.log.log('seen', 'Paybell');
    expect(info.lines().map((line) => line.msg)).toEqual(['seen']);
    const silent = logger('silent');
    silent.log.fatal('the end');
    expect(silent.raw()).toBe('');
  });

  const NAMES = 'authorization x-api-key apiKey secret previousSecret password token cookie encryptionKey';

  it.each(NAMES.split(' '))('hides what is named %s, at any depth', (name) => {
    const { log, raw } = logger();
    log.error({ msg: 'x', [name]: 'hunter2', a: [{ b: { [name]: { deep: 'hunter2' } } }] });
    expect(raw()).not.toContain('hunter2');
    expect(raw()).toContain('[redacted]');
  });

  it.each([
    'connecting to postgres://paybell:hunter2@db:5432/paybell failed',
    'amqps://user:hunter2@broker',
    'postgres://paybell:hunter2@a:5432,b:5432/paybell',
    'amqp://user:hunter2@a:5672,amqp://user:hunter2@b:5672',
    'signed with whsec_hunter2hunter2hunter2',
    'signed with whsk_hunter2hunter2hunter2',
    'key pb_hunter2hunter2hunter2hunter2hunter2',
    'Authorization: Bearer hunter2hunter2',
  ])('hides what looks like a secret in a text: %s', (text) => {
    const { log, raw } = logger();
    log.log(text);
    log.error(new Error(text));
    log.error({ msg: text, err: new Error('x', { cause: new Error(text) }), list: [text] });
    log.error('failed', `Error: ${text}\n    at file.ts:1:1`, 'Context');
    expect(raw()).not.toContain('hunter2');
  });

  it("leaves out a driver error's query and parameters", () => {
    const { log, raw } = logger();
    log.error({
      msg: 'x',
      err: Object.assign(new Error('failed'), { query: 'SELECT hunter2', parameters: ['hunter2'] }),
    });
    expect(raw()).not.toContain('hunter2');
  });

  it('survives cycles, big texts and values JSON has no word for', () => {
    const { log, lines, raw } = logger();
    const cyclic: Record<string, unknown> = { big: 10n ** 30n, bytes: Buffer.alloc(9) };
    cyclic['self'] = cyclic;
    log.log({ msg: 'x'.repeat(1_000_000), cyclic });
    log.log(undefined);
    log.log(null, 'C');
    log.log(Symbol('odd'));
    expect(lines()).toHaveLength(4);
    expect(raw().length).toBeLessThan(20_000);
  });
});

describe('corrected clock', () => {
  const T0 = Date.parse('2026-11-20T12:00:00.000Z');
  const HOUR_MS = 3_600_000;

  let timers: VirtualClock;
  /** The machine's clock minus the database's. */
  let skewMs: number;
  let clock: CorrectedClock;
  let warnings: ReturnType<typeof jest.spyOn>;
  let news: ReturnType<typeof jest.spyOn>;

  beforeEach(() => {
    warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    news = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    timers = new VirtualClock();
    skewMs = 0;
    clock = new CorrectedClock(timers, () => T0 + timers.now + skewMs);
  });

  afterEach(() => void jest.restoreAllMocks());

  /**
   * Measures by a statement that begins now; this share of its way follows the moment at which the database read its clock.
   */
  function measure(roundTripMs = 2, backShare = 0.5): void {
    const askedAt = timers.now;
    timers.runUntil(askedAt);
    pass(roundTripMs);
    clock.measured(T0 + timers.now - roundTripMs * backShare, askedAt);
  }

  function pass(ms: number): void {
    timers.at(timers.now + ms, () => undefined);
    timers.runUntil(timers.now + ms);
  }

  const errorMs = (): number => clock.now().getTime() - (T0 + timers.now);

  describe('the corrected clock', () => {
    it("is the machine's before it was measured, and says nothing of a skew", () => {
      skewMs = HOUR_MS;
      expect([errorMs(), clock.skewMs, clock.health()]).toEqual([HOUR_MS, null, { status: 'ok' }]);
    });

    it.each([-HOUR_MS, -600_000, 600_000, HOUR_MS])(
      'goes by the database when the machine is %d ms off',
      (off) => {
        skewMs = off;
        measure();
        expect(errorMs()).toBe(0);
        expect(clock.skewMs).toBeCloseTo(off, -1);
      },
    );

    it("goes on when the machine's clock is set, there and back", () => {
      measure();
      for (const off of [HOUR_MS, 0, -HOUR_MS, 0]) {
        skewMs = off;
        pass(1_000);
        expect(errorMs()).toBe(0);
        expect(clock.skewMs).toBeCloseTo(off, -1);
      }
    });

    it('is never further off than half of the shortest round trip, however slow the others are', () => {
      const answer = fc.record({
        roundTripMs: fc.integer({ min: 1, max: 30_000 }),
        backShare: fc.double({ min: 0, max: 1, noNaN: true }),
      });
      fc.assert(
        fc.property(fc.array(answer, { minLength: 1, maxLength: 20 }), (answers) => {
          timers = new VirtualClock();
          clock = new CorrectedClock(timers, () => T0 + timers.now);
          for (const { roundTripMs, backShare } of answers) {
            measure(roundTripMs, backShare);
            const least = clock.earliestMs(timers.now) ?? 0;
            expect(least).toBeLessThanOrEqual(T0 + timers.now + 0.001);
          }
          const shortest = Math.min(...answers.map(({ roundTripMs }) => roundTripMs));
          const drifted = timers.now * 0.001;
          expect(Math.abs(errorMs())).toBeLessThanOrEqual(shortest / 2 + drifted + 1);
          expect(clock.skewMs).toBeCloseTo(0, 3);
        }),
      );
    });

    it('follows the database at once when that has another clock than before, as after a failover', () => {
      measure();
      const askedAt = timers.now;
      pass(2);
      clock.measured(T0 - 60_000 + timers.now, askedAt);
      expect(errorMs()).toBeCloseTo(-60_000, -1);
    });
  });

  describe('a skew', () => {
    it('is logged above 5 s, once for each change, and when it is over', () => {
      const measured = (off: number): void => {
        skewMs = off;
        measure();
      };
      for (const off of [0, 4_900, -4_900, 0]) measured(off);
      expect(warnings.mock.calls).toEqual([]);
      for (const off of [600_000, 600_100, 599_000, 603_000]) measured(off);
      expect(warnings.mock.calls).toEqual([
        [
          "this machine's clock is 600 s ahead of the database's: Paybell goes by the database's clock; set this machine's by NTP",
        ],
      ]);
      measured(-HOUR_MS);
      expect(warnings.mock.calls).toHaveLength(2);
      expect(warnings.mock.lastCall?.[0]).toContain("clock is 3600 s behind the database's");
      for (const off of [0, 0, 4_000]) measured(off);
      expect([warnings.mock.calls.length, news.mock.calls.length]).toEqual([2, 1]);
    });

    it.each([
      [29_000, 'ok'],
      [-29_000, 'ok'],
      [31_000, 'degraded'],
      [-31_000, 'degraded'],
    ])('of %d ms is %s in the health', (off, status) => {
      skewMs = off;
      measure();
      expect(clock.health().status).toBe(status);
    });

    it('is not supposed where a slow answer explains the difference', () => {
      skewMs = 15_000;
      measure(40_000, 0.5);
      expect([clock.skewMs, warnings.mock.calls.length]).toEqual([0, 0]);
    });
  });

  /** Uses of machine time that decide nothing: those of the file system, and those of commands without a database. */
  const MACHINE_TIME: Readonly<Record<string, number>> = {
    'platform/process/corrected-clock.ts': 1,
    // Writes the log's own lines.
    'platform/process/log-output.ts': 1,
    'platform/process/logging.ts': 1,
    // Since when a broker is away or refuses.
    'destinations/rabbitmq/broker-connection.ts': 3,
    'destinations/rabbitmq/reconnecting-connection.ts': 2,
    'destinations/rabbitmq/refusals.ts': 1,
    'platform/embedded-postgres/staging-folder.ts': 1,
    'cli/doctor/database.ts': 1,
    'cli/listen/forwarder.ts': 1,
    'cli/output/option-values.ts': 1,
    'cli/payments/story.ts': 1,
    'providers/chainflip/check/chainflip-check.ts': 3,
    'providers/oneclick/check/oneclick-asking.ts': 1,
    'providers/oneclick/check/oneclick-trials.ts': 1,
    'providers/relay/check/relay-reads.ts': 1,
  };

  it("is the only way to the time: nothing else of the service asks for the machine's", () => {
    const found: Record<string, number> = {};
    for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const uses = readFileSync(`src/${file}`, 'utf8').match(/\bDate\.now\b|\bnew Date\(\)/g);
      if (uses !== null) found[file] = uses.length;
    }
    expect(found).toEqual(MACHINE_TIME);
  });
});
