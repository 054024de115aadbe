import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it, afterEach, jest, beforeEach } from '@jest/globals';
import { SecretBox, SecretUnreadable } from '../../src/database/secrets/secret-box.ts';
import { Logger } from '@nestjs/common';
import { SecretsAtRest, type RenewedBatch } from '../../src/ports/secrets-at-rest.ts';
import { SecretReencryption } from '../../src/features/webhook-endpoints/secret-reencryption.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { auditTarget, auditValues } from '../../src/features/audit/audit-values.ts';
import { isRefusal, RefusedChanges } from '../../src/features/audit/refused-changes.ts';
import type { AuditedChange } from '../../src/ports/audit-log.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { Timers } from '../../src/ports/timers.ts';
import { FakeAuditLog } from '../support/fakes/audit-log.fake.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';

const KEY = randomBytes(32);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('SecretBox', () => {
  const box = new SecretBox(KEY);

  it('opens what it sealed', () => {
    expect(box.open(box.seal(SECRET, 'a'), 'a')).toBe(SECRET);
    expect(box.open(box.seal('', 'a'), 'a')).toBe('');
    expect(new SecretBox(Buffer.from(KEY)).open(box.seal('ключ 🔑', 'a'), 'a')).toBe('ключ 🔑');
  });

  it('writes its version, the key id, 96 random bits and the sealed text, and nothing readable', () => {
    const [version, keyId, iv, sealed, ...rest] = box.seal(SECRET, 'a').split('.');
    expect([version, keyId, rest]).toEqual([
      'v1',
      createHash('sha256').update(KEY).digest('hex').slice(0, 8),
      [],
    ]);
    expect(Buffer.from(iv ?? '', 'base64url')).toHaveLength(12);
    expect(Buffer.from(sealed ?? '', 'base64url')).toHaveLength(SECRET.length + 16);
    expect(box.seal(SECRET, 'a')).not.toBe(box.seal(SECRET, 'a'));
  });

  it('does not open for another owner', () => {
    expect(() => box.open(box.seal(SECRET, 'a'), 'b')).toThrow(SecretUnreadable);
  });

  it('does not open when any one character was changed', () => {
    const sealed = box.seal(SECRET, 'a');
    for (let at = 0; at < sealed.length - 1; at += 1) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(() => box.open(changed, 'a')).toThrow(SecretUnreadable);
    }
  });

  it.each(['', 'v1', 'v1.x.y', 'v2.a.b.c', SECRET])('does not open %j', (text) => {
    expect(() => box.open(text, 'a')).toThrow(SecretUnreadable);
  });

  it('does not open a sealed text whose end, tag included, was cut off', () => {
    const [version, keyId, iv] = box.seal(SECRET, 'a').split('.');
    expect(() => box.open(`${version}.${keyId}.${iv}.AAAA`, 'a')).toThrow(SecretUnreadable);
  });

  it('names both key ids when the key is another one, and neither key nor secret', () => {
    const other = new SecretBox(randomBytes(32));
    const sealed = other.seal(SECRET, 'a');
    const open = (): string => box.open(sealed, 'a');
    expect(open).toThrow(`encrypted with the key ${other.keyId}, but ENCRYPTION_KEY is the key ${box.keyId}`);
    expect(open).toThrow(expect.not.objectContaining({ message: expect.stringContaining(SECRET) }));
  });

  it('takes a key of 32 bytes only', () => {
    expect(() => new SecretBox(randomBytes(16))).toThrow('16 bytes, not 32');
  });

  describe('while its key is being changed', () => {
    const next = new SecretBox(randomBytes(32), KEY);

    it('opens what the previous key sealed and seals with the present one', () => {
      expect(next.open(box.seal(SECRET, 'a'), 'a')).toBe(SECRET);
      const sealed = next.seal(SECRET, 'a');
      expect(sealed.startsWith(next.prefix)).toBe(true);
      expect(next.open(sealed, 'a')).toBe(SECRET);
      expect(() => box.open(sealed, 'a')).toThrow(SecretUnreadable);
    });

    it('does not open for another owner with the previous key either', () => {
      expect(() => next.open(box.seal(SECRET, 'a'), 'b')).toThrow(SecretUnreadable);
    });

    it('names the ids of both keys when it was a third one', () => {
      const third = new SecretBox(randomBytes(32));
      expect(() => next.open(third.seal(SECRET, 'a'), 'a')).toThrow(
        `encrypted with the key ${third.keyId}, but ENCRYPTION_KEY is the key ${next.keyId} and ENCRYPTION_KEY_PREVIOUS the key ${box.keyId}`,
      );
    });
  });
});

/** Answers the given batches one after the other. */
class FakeSecretsAtRest extends SecretsAtRest {
  readonly asked: (string | null)[] = [];
  constructor(private readonly batches: (RenewedBatch | Error)[]) {
    super();
  }

  async renew(after: string | null): Promise<RenewedBatch> {
    this.asked.push(after);
    const batch = this.batches.shift() ?? { renewed: 0, unreadable: 0, next: null };
    if (batch instanceof Error) throw batch;
    return batch;
  }
}

const begun: SecretReencryption[] = [];

function begin(secrets: SecretsAtRest): SecretReencryption {
  const renewal = new SecretReencryption(secrets, new FakeDatabaseHealth());
  begun.push(renewal);
  renewal.onApplicationBootstrap();
  return renewal;
}

describe('SecretReencryption', () => {
  afterEach(() => {
    for (const renewal of begun.splice(0)) renewal.onModuleDestroy();
    jest.restoreAllMocks();
  });

  it('begins by itself once the database is ready, goes on to the end and says how many there were', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    const secrets = new FakeSecretsAtRest([
      { renewed: 100, unreadable: 0, next: 'a' },
      { renewed: 7, unreadable: 0, next: null },
    ]);
    begin(secrets);
    await waitFor(() => log.mock.calls.length > 0);
    expect(secrets.asked).toEqual([null, 'a']);
    expect(String(log.mock.calls[0])).toContain('the secrets of 107 webhook endpoints are encrypted');
  });

  it('reports what it did before it failed, and does the rest in the next round', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const batch = { renewed: 100, unreadable: 1, next: 'a' };
    const secrets = new FakeSecretsAtRest([batch, new Error('the database is away')]);
    begin(secrets);
    await waitFor(() => secrets.asked.length === 3);
    expect(secrets.asked).toEqual([null, 'a', null]);
    expect(String(log.mock.calls[0])).toContain('the secrets of 100 webhook endpoints');
    expect(warn.mock.calls.flat().join()).toContain('the database is away');
    expect(warn.mock.calls.flat().join()).toContain('1 webhook endpoints cannot be decrypted');
  });
});

describe('the values of an audit entry', () => {
  it('are the fields of the request as they were sent', () => {
    const fields = {
      orderId: 'A-1',
      metadata: { shop: 'eu' },
      eventTypes: ['payment.completed'],
      enabled: false,
    };
    expect(auditValues(fields)).toEqual(fields);
    expect(auditValues({ description: null, limit: 5 })).toEqual({ description: null, limit: 5 });
  });

  it.each([
    ['https://shop.example/hook', 'https://shop.example/hook'],
    ['https://user:hunter2@shop.example:8443/hook', 'https://[redacted]@shop.example:8443/hook'],
    ['https://hunter2@shop.example', 'https://[redacted]@shop.example/'],
    ['https://shop.example/hook?token=hunter2&x=1', 'https://shop.example/hook?[redacted]'],
    ['https://shop.example/hook#hunter2', 'https://shop.example/hook'],
    ['http://user:p/hunter2@shop.example', '[not a URL]'],
    ['hunter2', '[not a URL]'],
  ])('keep of a URL neither user, password, query nor fragment: %s', (url, kept) => {
    expect(auditValues({ url })).toEqual({ url: kept });
  });

  it.each([
    [['https://user:hunter2@shop.example/?token=hunter2']],
    [{ href: 'https://shop.example/?hunter2' }],
    [null],
  ])('keep nothing of a URL that is no text: %j', (url) => {
    expect(auditValues({ url })).toEqual({ url: '[not a URL]' });
  });

  it.each(['secret', 'key', 'apiKey', 'password', 'previousSecret', 'authorization'])(
    'hold nothing of a field that is named like a secret: %s',
    (name) => {
      expect(auditValues({ [name]: 'hunter2' })).toEqual({ [name]: '[redacted]' });
      expect(JSON.stringify(auditValues({ [name]: { in: ['hunter2'] } }))).not.toContain('hunter2');
    },
  );

  it('hold no text that looks like a secret, under any name', () => {
    const secrets = { description: `our whsec_${'a'.repeat(32)} and pb_${'b'.repeat(43)}` };
    expect(auditValues(secrets)).toEqual({ description: 'our [redacted] and [redacted]' });
  });

  it('have at most 4 kB, and say what was cut', () => {
    const long = 'x'.repeat(5_000);
    const fields = Object.fromEntries(Array.from({ length: 20 }, (_none, at) => [`field${at}`, long]));
    const kept = auditValues({ short: 'a', ...fields });
    expect(kept['short']).toBe('a');
    expect(kept['field0']).toBe(`"${'x'.repeat(999)}…`);
    expect(kept['field19']).toBe('…');
    expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(5_000);
  });

  it('are JSON that PostgreSQL takes, wherever a text was cut', () => {
    const emoji = '😀'.repeat(1_000);
    for (const text of [emoji, `x${emoji}`, '\ud83d', 'a\u0000b']) {
      const json = JSON.stringify(auditValues({ text, nested: { text }, named: [{ [text]: 1 }], [text]: 1 }));
      expect(json).not.toMatch(/\\u(?:d[89a-f]|0000)/i);
    }
  });

  it('name the target on one line of bounded length', () => {
    expect(auditTarget('5af8532c')).toBe('5af8532c');
    expect(auditTarget('a\nb\tc\u0000')).toBe('a?b?c?');
    expect(auditTarget('x'.repeat(500))).toHaveLength(200);
  });
});

describe('refused changes', () => {
  const VALUES = { orderId: 'x'.repeat(1_000) };

  let log: FakeAuditLog;
  let refused: RefusedChanges;
  let due: (() => void)[];

  beforeEach(() => {
    log = new FakeAuditLog(new FakeClock());
    due = [];
    const timers: Timers = {
      nowMs: () => 0,
      after: (_ms, act) => {
        due.push(act);
        return () => undefined;
      },
    };
    refused = new RefusedChanges(log, timers);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  function changeOf(who: string): AuditedChange {
    const by = { who, role: 'shop', address: '10.0.0.1', via: 'api' } as const;
    return { ...by, action: 'payment.track', target: 'q-1', values: VALUES };
  }

  /** Refuses changes like requests that are refused before their handler runs, or by the handler. */
  async function refuse(count: number, who = 'web', isBegun = false): Promise<void> {
    for (let at = 0; at < count; at += 1) {
      const change = changeOf(who);
      await refused.noteChange(change, isBegun ? await log.begin(change) : null, isBegun ? 404 : 400);
    }
  }

  async function endMinute(): Promise<void> {
    for (const act of due.splice(0)) act();
    await new Promise((resolve) => setImmediate(resolve));
  }

  const summaryOf = (): unknown[] =>
    log.entries.map(({ who, action, target, status, values }) => [who, action, target, status, values]);

  const ONE = ['web', 'payment.track', 'q-1', 400, {}];

  describe('a change that ended with a problem', () => {
    it.each([
      ['invalid_request', 400, true],
      ['too_many_tests', 429, true],
      ['provider_unavailable', 503, true],
      ['provider_credentials', 502, true],
      ['provider_misconfigured', 502, true],
      ['database_unavailable', 503, false],
      ['internal', 500, false],
    ])('%s, %d: was not made for sure: %s', (code, status, isRefused) => {
      expect(isRefusal({ code, status })).toBe(isRefused);
    });
  });

  describe('refused changes', () => {
    it('have an entry each, without values', async () => {
      await refuse(2);
      await refuse(1, 'web', true);
      expect(summaryOf()).toEqual([ONE, ONE, ['web', 'payment.track', 'q-1', 404, {}]]);
    });

    it.each([false, true])(
      'of one key are counted in one entry after sixty in a minute; begun before: %s',
      async (isBegun) => {
        await refuse(60);
        await refuse(500, 'web', isBegun);
        expect(log.entries).toHaveLength(61);
        expect(refused.hasRoom('web')).toBe(false);
        await endMinute();
        const status = isBegun ? 404 : 400;
        expect(summaryOf()).toEqual([
          ...Array.from({ length: 60 }, () => ONE),
          ['web', 'request.refused', null, status, { count: 500 }],
        ]);
      },
    );

    it('have entries again in the next minute', async () => {
      await refuse(65);
      await endMinute();
      expect(refused.hasRoom('web')).toBe(true);
      await refuse(65);
      await endMinute();
      expect(log.entries).toHaveLength(122);
    });

    it('of one key take no room from those of another', async () => {
      await refuse(60);
      await refuse(1, 'other');
      expect(log.entries.at(-1)).toMatchObject({ who: 'other', action: 'payment.track', status: 400 });
    });

    it('are counted at a stop too', async () => {
      await refuse(63);
      await refused.beforeApplicationShutdown();
      expect(log.entries.at(-1)).toMatchObject({ action: 'request.refused', values: { count: 3 } });
    });

    it('are counted again once the database is back', async () => {
      jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
      await refuse(60);
      const begin = jest.spyOn(log, 'begin').mockRejectedValueOnce(new StoreUnavailable());
      await expect(refuse(1)).rejects.toThrow(StoreUnavailable);
      await refuse(1);
      await endMinute();
      expect(begin).toHaveBeenCalledTimes(2);
      expect(log.entries.at(-1)).toMatchObject({ action: 'request.refused', values: { count: 2 } });
    });
  });
});
