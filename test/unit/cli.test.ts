import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { Response } from 'undici';

import type { ApiClient } from '../../src/cli/api/api-client.ts';
import { noteItems, noteReceivers } from '../../src/cli/doctor/attention.ts';
import { asText, Findings } from '../../src/cli/doctor/findings.ts';
import { eventLine, oneLine, readEvent } from '../../src/cli/events/event-line.ts';
import { forwardLine } from '../../src/cli/listen/listen.ts';
import { failureWords } from '../../src/cli/output/failure-words.ts';
import { problemOf } from '../../src/cli/api/problem.ts';
import { timeWords } from '../../src/cli/output/time-words.ts';
import type { Session } from '../../src/cli/api/session.ts';
import { exportPayments } from '../../src/cli/payments/export.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { untoldWords } from '../../src/cli/payments/told.ts';
import { isPrintable } from '../../src/domain/text/printable.ts';
import { httpUrl, instant } from '../../src/cli/output/option-values.ts';
import { readClientSettings } from '../../src/config/client-settings.ts';
import { boundsOf } from '../../src/database/payments/list-statement.ts';
import { problemsOf } from '../support/config-of.ts';
import { configVariables } from '../support/config-variables.ts';
import { misspeltNames } from '../../src/config/misspelt-names.ts';
import { composeEnvironment, LOGIN_SHELL, POD, podWith } from '../support/environments.ts';
import { cursorOf, isAfter, LOG_START, parseCursor } from '../../src/domain/event/log-position.ts';
import { compareReleases } from '../../src/database/gate/compare-releases.ts';

/** Clears the screen, changes colours, and writes from right to left. */
const HOSTILE = '\u001b[2J\u009b31m\u202e\n';

const BODY = JSON.stringify({
  id: HOSTILE,
  time: `time${HOSTILE}`,
  type: `type${HOSTILE}`,
  data: {
    quoteId: `quote${HOSTILE}`,
    orderId: `order${HOSTILE}`,
    sequence: `1${HOSTILE}`,
    status: `status${HOSTILE}`,
    reason: `reason${HOSTILE}`,
    late: false,
  },
});

describe('what a hostile server sends', () => {
  it('moves no cursor and changes no colour in the lines of "listen"', () => {
    const event = { id: HOSTILE, type: `type${HOSTILE}`, body: BODY };
    const failed = { failure: `failure${HOSTILE}`, code: `CODE${HOSTILE}`, body: HOSTILE };
    const forwarded = { delivered: false, httpStatus: null, ...failed, durationMs: 7 };
    const line = forwardLine(event, forwarded);
    expect(line.split(/\s+/)).toEqual(expect.arrayContaining(['time', 'type', '#1', 'failure', 'CODE']));
    expect(isPrintable(line.trimEnd())).toBe(true);
  });

  it('is escaped in JSON, which stays the same value', () => {
    const line = oneLine(`{\r\n\t"a": ${JSON.stringify(HOSTILE)}}`);
    expect(isPrintable(line)).toBe(true);
    expect(JSON.parse(line)).toEqual({ a: HOSTILE });
  });

  it('moves no cursor and changes no colour in the lines of "events tail"', () => {
    const line = eventLine(readEvent(BODY));
    expect(line.split(/\s+/)).toEqual(
      expect.arrayContaining(['time', 'type', 'quote', '#1', 'status', 'order']),
    );
    expect(isPrintable(line.trimEnd())).toBe(true);
  });
});

describe('a time in the words of a command', () => {
  it('is an instant, or how long ago', () => {
    expect(instant('2026-11-20')).toBe('2026-11-20T00:00:00.000Z');
    expect(instant('2028-02-29T23:30:00+02:00')).toBe('2028-02-29T21:30:00.000Z');
    const anHourAgo = Date.parse(instant('1h'));
    expect(Date.now() - anHourAgo).toBeGreaterThanOrEqual(3_600_000);
  });

  it.each(['2026-02-30', '2026-02-29T12:00:00Z', '2026-13-01', '2026-11-20T25:00:00Z', '7', '1w', '-1h', ''])(
    'is not "%s"',
    (text) => {
      expect(() => instant(text)).toThrow('It is no time such as 2h');
    },
  );
});

describe('a time that a command shows', () => {
  it('is local with its zone on a terminal, and ISO 8601 for a program', () => {
    const text = '2026-11-23T10:02:11.123Z';
    expect(timeWords(text, true)).toMatch(/^2026-11-2[234] \d\d:\d\d:11 \S+$/);
    expect([timeWords(text, false), timeWords('A-17', true)]).toEqual([text, 'A-17']);
  });
});

describe('a failure in a table', () => {
  it.each([
    [{ failure: 'status', httpStatus: 500, code: null, text: 'out\nof stock' }, 'refuses 500: out of stock'],
    [{ failure: 'refused', httpStatus: null, code: 'ECONNREFUSED' }, 'refuses connections (ECONNREFUSED)'],
    [{ failure: 'tls', httpStatus: null, code: 'CERT_HAS_EXPIRED' }, 'has no trusted TLS (CERT_HAS_EXPIRED)'],
    [{ failure: 'another', httpStatus: null }, 'fails (another)'],
  ])('%j reads "%s"', (failure, words) => {
    expect(failureWords(failure)).toBe(words);
  });
});

describe('the destinations that a payment is not told at', () => {
  type Progress = Parameters<typeof untoldWords>[0];
  type Destinations = Parameters<typeof untoldWords>[1];
  type Delivery = Progress['deliveries'][number];

  const SHOP = { id: 'e-1', kind: 'webhook', name: 'shop' };
  const EXCHANGE = { id: 'x-1', kind: 'rabbitmq', name: 'RabbitMQ' };
  const delivery = (change: object, destination = SHOP): Delivery =>
    ({
      state: 'pending',
      attemptCount: 0,
      lastFailure: null,
      lastHttpStatus: null,
      waitingFor: null,
      destination,
      ...change,
    }) as Delivery;
  const tried = { attemptCount: 3, waitingFor: 'retry' };
  const down = {
    id: 'e-1',
    kind: 'webhook',
    state: 'open',
    lastFailure: { failure: 'refused', httpStatus: null },
  };
  const nobody = { destination: { id: null, kind: 'nobody', name: 'no receiver' }, events: 2 };
  const gone = { destination: { id: 'e-9', kind: 'deleted', name: 'deleted endpoint' }, events: 1 };

  it.each<[string, object[], object | null, object[], object[], string]>([
    ['told everywhere', [{ state: 'delivered' }], null, [], [], ''],
    [
      'refused by the shop',
      [{ ...tried, lastFailure: 'status', lastHttpStatus: 500 }],
      null,
      [],
      [],
      'shop refuses 500 ×3',
    ],
    ['no connection', [{ ...tried, lastFailure: 'refused' }], null, [], [], 'shop refuses connections ×3'],
    [
      'an outage, tried',
      [{ ...tried, lastFailure: 'timeout' }],
      null,
      [],
      [down],
      'shop is down: refuses connections',
    ],
    [
      'an outage, not tried',
      [{ waitingFor: 'circuit' }],
      null,
      [],
      [down],
      'shop is down: refuses connections',
    ],
    ['disabled since', [{ waitingFor: 'disabled_endpoint' }], null, [], [], 'shop is disabled'],
    ['disabled then', [{ state: 'discarded' }], null, [], [], 'shop was disabled'],
    ['given up', [{ state: 'failed', lastFailure: 'dns' }], null, [], [], 'shop has no address, given up'],
    ['under way', [{}], null, [], [], 'shop under way'],
    ['no broker', [], {}, [], [{ kind: 'rabbitmq', state: 'open' }], 'RabbitMQ is away'],
    ['no receiver', [], null, [nobody], [], 'no receiver'],
    ['no receiver yet', [], null, [], [], 'no receiver'],
    ['a deleted one beside', [{ state: 'delivered' }], null, [gone], [], 'deleted endpoint was not told'],
  ])('are never left out: %s', (_case, deliveries, exchange, untold, destinations, words) => {
    const progress = {
      deliveries: deliveries.map((each) => delivery(each)),
      exchange: exchange === null ? null : delivery(exchange, EXCHANGE),
      untold,
    };
    expect(untoldWords(progress as unknown as Progress, destinations as unknown as Destinations)).toBe(words);
  });
});

describe('the receivers that the doctor names', () => {
  it.each([
    [
      'those that take events',
      ['ok', 'disabled', 'open', 'failing', 'refusing'],
      [],
      ['ok', 'shop 1; shop 5'],
    ],
    [
      'all with their state where none takes events',
      ['disabled', 'open'],
      [],
      ['warning', 'no receiver takes events now: shop 1 (disabled); shop 2 (open)'],
    ],
    ['none where attention says why', ['open'], ['endpoints_failing'], null],
    ['none where there is none', [], [], ['warning', expect.stringContaining('there is no endpoint')]],
  ])('are %s', async (_, states, codes, finding) => {
    const data = states.map((state, index) => ({ name: `shop ${index + 1}`, state }));
    const api = { call: async () => ({ data: { data } }) } as unknown as ApiClient;
    const findings = new Findings('service');
    await noteReceivers(api, itemsWith(codes), findings);
    expect(findings.list.map(({ outcome, detail }) => [outcome, detail])).toEqual(
      finding === null ? [] : [finding],
    );
  });
});

describe('what needs a person, as the doctor tells', () => {
  it.each([
    ['nobody', ['attention no_receiver']],
    ['webhook', ['attention undelivered', 'attention no_receiver']],
  ])('is one line for events without a receiver, where those of a %s are untold', (kind, checks) => {
    const findings = new Findings('service');
    const items = itemsWith(['undelivered', 'no_receiver']).map((item) => ({
      ...item,
      destinations: [{ destination: { id: 'a', name: 'a', kind }, count: 1, isMore: false, since: null }],
    }));
    noteItems(items, findings);
    expect(findings.list.map(({ check }) => check)).toEqual(checks);
  });
});

describe('the findings of the doctor', () => {
  const SCREEN = { rows: 24, columns: 80 };

  function found(faults: number, warnings: number, others: number): Findings {
    const findings = new Findings('service');
    for (let each = 1; each <= faults; each += 1) findings.wrong(`fault ${each}`, 'x'.repeat(300), 'mend it');
    for (let each = 1; each <= warnings; each += 1) findings.warning(`doubt ${each}`, 'y', 'look at it');
    for (let each = 1; each <= others; each += 1) findings.ok(`ok ${each}`, 'z');
    return findings;
  }

  it('are all on a screen that has room for them, whole', () => {
    const text = asText(found(1, 2, 6).list, SCREEN);
    expect(text).toBe(asText(found(1, 2, 6).list));
    expect(text).toContain('x'.repeat(300));
  });

  it.each([
    [9, 3, 14, /^16 more \(14 ok, 2 warning\)/],
    [7, 4, 0, /^1 more \(1 warning\)/],
    [20, 1, 1, /^12 more \(1 ok, 1 warning, 10 wrong\)/],
  ])('fill one screen if they are %i, %i and %i: the rest is counted, and the command named', (...asked) => {
    const [faults, warnings, others, rest] = asked;
    const { list } = found(faults, warnings, others);
    const rows = asText(list, SCREEN).split('\n');
    expect(rows.length).toBeLessThanOrEqual(SCREEN.rows);
    expect(rows.filter((row) => row.length > SCREEN.columns)).toEqual([]);
    expect(rows[0]).toMatch(rest);
    expect(rows[0]).toContain('`paybell doctor --all`');
    expect(rows.at(-5)).toContain(`fault ${faults}`);
    expect(asText(list).match(/^(?:ok|warning|wrong) /gm)).toHaveLength(list.length);
  });
});

function itemsWith(codes: readonly string[]): Parameters<typeof noteItems>[0] & object {
  return codes.map((code) => ({
    code,
    severity: 'bad',
    detail: code,
    endpoints: [],
  })) as unknown as Parameters<typeof noteItems>[0] & object;
}

describe('a refusal of Paybell', () => {
  it.each([
    [401, 'Not authorized (401): No key. PAYBELL_API_KEY is not one of its keys.'],
    [403, 'Not authorized (403): No key. Set PAYBELL_API_KEY to a key that may.'],
    [409, 'Not authorized (409): No key.'],
  ])('of status %i says whether another key helps', async (status, message) => {
    const body = JSON.stringify({ title: 'Not authorized', detail: 'No key.' });
    expect((await problemOf(new Response(body, { status }), 'http://127.0.0.1')).message).toBe(message);
  });
});

describe('an export that is interrupted', () => {
  it('has removed its file before a second signal kills the command', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paybell-export-'));
    const output = join(folder, 'payments.csv');
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('id\n')),
    });
    const stopping = new AbortController();
    const session = { api: { open: async () => ({ body }) }, signal: stopping.signal } as unknown as Session;
    const exporting = exportPayments(session, { output });
    await waitFor(() => existsSync(`${output}.part`));
    stopping.abort(new Error('It was stopped.'));
    expect(existsSync(`${output}.part`)).toBe(false);
    await expect(exporting).rejects.toThrow('It was stopped.');
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

describe('a URL in the words of a command', () => {
  it.each(['127.0.0.1:4000', 'ftp://a', 'http://'])('is not "%s"', (text) => {
    expect(() => httpUrl(text)).toThrow('It is no http:// or https:// URL.');
  });

  it('has no password, which would be printed and not sent', () => {
    expect(() => httpUrl('http://me:hunter2@127.0.0.1/')).toThrow(/^It has a user or a password/);
  });
});

describe('where the command line finds Paybell', () => {
  it.each([
    'http://me:hunter2@pay.example',
    'https://pay.example/?key=hunter2',
    'https://pay.example/#hunter2',
  ])('is not %s, which would be printed where it fails', (PAYBELL_URL) => {
    expect(() => readClientSettings({ PAYBELL_URL })).toThrow(
      /PAYBELL_URL may have no user, password(?!.*hunter2)/,
    );
  });

  it.each(['one\ntwo', 'schlüssel-€'])(
    'is not asked with a key that no request can carry',
    (PAYBELL_API_KEY) => {
      const read = (): unknown => readClientSettings({ PAYBELL_API_KEY });
      expect(read).toThrow(/^The configuration is not valid:\n {2}- PAYBELL_API_KEY has characters [^€\n]*$/);
    },
  );

  it('is asked with what is around a key left away', () => {
    const env = { PAYBELL_URL: 'https://pay.example/base/', PAYBELL_API_KEY: ' key\r\n' };
    expect(readClientSettings(env)).toEqual({
      url: 'https://pay.example/base',
      apiKey: 'key',
      isNamed: true,
    });
  });
});

const at = (ms: number): Date => new Date(ms);
const [createdAfter, createdBefore] = [at(10), at(20)];

describe('a page of the list of payments', () => {
  it('is bounded by the window alone at first', () => {
    for (const sort of ['newest', 'oldest'] as const)
      expect(boundsOf({ sort, createdAfter, createdBefore }, null)).toEqual([
        { sign: '>=', at: createdAfter, id: '0' },
        { sign: '<', at: createdBefore, id: '0' },
      ]);
    expect(boundsOf({}, null)).toEqual([]);
  });

  it('begins at its cursor, in the direction of the list', () => {
    const after = { createdUs: '15000', id: '7' };
    expect(boundsOf({ createdAfter, createdBefore }, after)).toEqual([
      { sign: '>=', at: createdAfter, id: '0' },
      { sign: '<', at: '15000', id: '7' },
    ]);
    expect(boundsOf({ sort: 'oldest', createdAfter, createdBefore }, after)).toEqual([
      { sign: '>=', at: '15000', id: '8' },
      { sign: '<', at: createdBefore, id: '0' },
    ]);
  });

  it('begins at the end of the window where the cursor is outside', () => {
    expect(boundsOf({ createdBefore }, { createdUs: '20000', id: '7' })).toEqual([
      { sign: '<', at: createdBefore, id: '0' },
    ]);
    expect(boundsOf({ sort: 'oldest', createdAfter }, { createdUs: '9999', id: '7' })).toEqual([
      { sign: '>=', at: createdAfter, id: '0' },
    ]);
    expect(boundsOf({ sort: 'oldest', createdAfter }, { createdUs: '10000', id: '7' })).toEqual([
      { sign: '>=', at: '10000', id: '8' },
    ]);
  });
});

type Env = Record<string, string>;

/** All names that one typing error can make of a name. */
function slipsOf(name: string): Set<string> {
  const slips = new Set<string>();
  for (let at = 0; at <= name.length; at += 1) {
    const [before, after] = [name.slice(0, at), name.slice(at)];
    slips.add(before + after.slice(1));
    for (const letter of ['X', '_', '7'])
      slips.add(before + letter + after).add(before + letter + after.slice(1));
    slips.add(before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2));
  }
  return slips;
}

describe('a variable that is one of ours but for a slip', () => {
  it.each([
    ['PROVIDER_BASEURL', 'PROVIDER_BASE_URL'],
    ['provider_base_url', 'PROVIDER_BASE_URL'],
    ['providerBaseUrl', 'PROVIDER_BASE_URL'],
    ['PROVIDER-BASE-URL', 'PROVIDER_BASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['ENCRYPTION_KEYS', 'ENCRYPTION_KEY'],
    ['RELAY_APIKEY', 'RELAY_API_KEY'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['PROVIDERS', 'PROVIDER'],
  ])('%s stops the start, and its value is not repeated', (name, meant) => {
    expect(problemsOf({ [name]: 'hunter2' })).toEqual([
      `  - ${name} is not a setting: did you mean ${meant}?`,
    ]);
  });

  it('is reported beside what else is wrong', () => {
    expect(problemsOf({ PORT: 'x', PROVIDER: 'http', PROVIDER_BASEURL: 'https://pay.example' })).toEqual([
      expect.stringContaining('PORT is "x"'),
      expect.stringContaining('PROVIDER_BASE_URL is required'),
      expect.stringContaining('PROVIDER_BASEURL is not a setting'),
    ]);
  });

  it('is found for every name of eight letters or more, and for no shorter one', () => {
    const known = configVariables();
    for (const name of known) {
      const isLong = name.replace(/[^A-Z]/g, '').length >= 8;
      const slips = [...slipsOf(name)].filter((slip) => !known.has(slip));
      const found = slips.filter((slip) =>
        misspeltNames({ [slip]: 'x' }, known).some(({ meant }) => meant === name),
      );
      expect(found).toEqual(isLong ? slips : []);
    }
  });
});

describe('what others set', () => {
  it.each<[string, Env]>([
    ['a login shell', LOGIN_SHELL],
    ['a pod', POD],
    ['compose', { ...composeEnvironment(), PROVIDER: 'sandbox' }],
  ])('in %s is nothing to stop for', (_where, env) => {
    expect(problemsOf(env).filter((line) => line.includes('did you mean'))).toEqual([]);
  });

  it('is not ours, even for a service that is called like a setting', () => {
    const known = configVariables();
    const services = [...known].map((name) => name.toLowerCase().replaceAll('_', '-'));
    expect(misspeltNames(podWith(Object.fromEntries(services.map((name) => [name, 80]))), known)).toEqual([]);
  });

  it.each<Env>([{ PROVIDER_BASEURL: '' }, { PROVIDER_BASEURL: '  ' }, { API_KEY: 'x' }, { DATADIR: 'x' }])(
    'is silent, as is what is empty or short: %j',
    (env) => {
      expect(problemsOf(env)).toEqual([]);
    },
  );
});

describe('log position', () => {
  const at = (rank: bigint, position: bigint): { rank: bigint; position: bigint } => ({ rank, position });

  describe('a position in the log', () => {
    it('is after another by its rank first, and by its position within a rank', () => {
      expect(isAfter(at(2n, 1n), at(1n, 9n))).toBe(true);
      expect(isAfter(at(1n, 9n), at(2n, 1n))).toBe(false);
      expect(isAfter(at(1n, 2n), at(1n, 1n))).toBe(true);
      expect(isAfter(at(1n, 1n), at(1n, 2n))).toBe(false);
      expect(isAfter(at(1n, 1n), at(1n, 1n))).toBe(false);
    });

    it('begins before every event', () => {
      expect(cursorOf(LOG_START)).toBe('0-0');
      expect(isAfter(at(0n, 1n), LOG_START)).toBe(true);
    });
  });

  describe('a cursor', () => {
    it('leads back to its position, whatever the size of the numbers', () => {
      const position = at(123456789012345678n, 987654321098765432n);
      expect(parseCursor(cursorOf(position))).toEqual(position);
    });

    it.each([
      '',
      '1',
      '1-',
      '-1',
      '1-2-3',
      'a1-2',
      '1-2b',
      '1-x',
      ' 1-2',
      `${'9'.repeat(19)}-1`,
      `1-${'9'.repeat(19)}`,
    ])('is not %j', (text) => {
      expect(parseCursor(text)).toBeNull();
    });
  });
});

describe('releases', () => {
  it('are ordered by their numbers, and pre-releases come first', () => {
    const ordered = ['0.1.0-rc.2', '0.1.0-rc.10', '0.1.0', '0.1.1', '0.2.0', '0.10.0', '1.0.0-beta', '1.0.0'];
    expect(ordered.toReversed().sort(compareReleases)).toEqual(ordered);
    expect(compareReleases('0.1.0+build.7', '0.1.0')).toBe(0);
  });
});
