import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { outcomeOfStatus } from '../../src/destinations/webhook/webhook-outcome.ts';
import { signedHeaders } from '../../src/destinations/webhook/webhook-sender.ts';
import { newSecret, newSigningKey } from '../../src/features/webhook-endpoints/new-signing-key.ts';
import { isSignedWith } from '../support/public-key.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  InvalidWebhook,
  parseEvent,
  parseMessage,
  UnreadableEvent,
  verifyWebhook,
  type RefusalCode,
} from '../../packages/client/src/index.ts';
import { eventOfPayment } from '../support/paybell-events.ts';

const ID = '019aa0c4-7c1e-7b6e-9d0e-1c2f3a4b5c6d';
const BODY = '{"type":"payment.completed","data":{"orderId":"Ä-1 – 支払い 💶","amount":"0.10"}}';

const VERIFIERS = [
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
] as const;

describe.each(VERIFIERS)('signedHeaders, read by the published library %s,', (_name, Webhook) => {
  it('verify, whatever characters the body has, as text and as bytes', () => {
    const secret = newSecret();
    const headers = signedHeaders(ID, BODY, [secret], new Date());
    expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(new Webhook(secret).verify(Buffer.from(BODY, 'utf8'), headers)).toEqual(JSON.parse(BODY));
    expect(headers['webhook-id']).toBe(ID);
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
  });

  it('verify with each valid secret while one replaces the other', () => {
    const secrets = [newSecret(), newSecret()];
    const headers = signedHeaders(ID, BODY, secrets, new Date());
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of secrets) expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(() => new Webhook(newSecret()).verify(BODY, headers)).toThrow('No matching signature');
  });

  it('verify with the secret although a v1a signature stands beside, before it or after', () => {
    const [secret, key] = [newSecret(), newSigningKey('v1a').secret];
    for (const secrets of [
      [key, secret],
      [secret, key],
    ]) {
      const headers = signedHeaders(ID, BODY, secrets, new Date());
      expect(headers['webhook-signature']).toContain('v1a,');
      expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    }
    const headers = signedHeaders(ID, BODY, [key], new Date());
    expect(() => new Webhook(secret).verify(BODY, headers)).toThrow('No matching signature');
  });

  it('do not verify for another body, id or time, nor after five minutes', () => {
    const secret = newSecret();
    const headers = signedHeaders(ID, BODY, [secret], new Date());
    const verifier = new Webhook(secret);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => verifier.verify(BODY.replace('0.10', '9.10'), headers)).toThrow('No matching signature');
    expect(() => verifier.verify(BODY, { ...headers, 'webhook-id': 'other' })).toThrow(
      'No matching signature',
    );
    expect(() => verifier.verify(BODY, { ...headers, 'webhook-timestamp': later })).toThrow(
      'No matching signature',
    );
    const old = signedHeaders(ID, BODY, [secret], new Date(Date.now() - 302_000));
    expect(() => verifier.verify(BODY, old)).toThrow('too old');
  });
});

describe('signedHeaders', () => {
  it('carry the time of the attempt in whole seconds', () => {
    const headers = signedHeaders(ID, BODY, [newSecret()], new Date(1_763_640_000_999));
    expect(headers['webhook-timestamp']).toBe('1763640000');
  });
});

describe('signedHeaders with v1a', () => {
  /** The published vector of Svix's server. */
  const VECTOR = {
    secret: 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==',
    publicKey: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    now: new Date(1_614_265_330_000),
    body: '{"test": 2432232314}',
    signature: 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
  };

  it('makes the signature that the published example has', () => {
    const { secret, publicKey, id, now, body, signature } = VECTOR;
    const headers = signedHeaders(id, body, [secret], now);
    expect(headers['webhook-signature']).toBe(signature);
    expect(isSignedWith(publicKey, headers, body)).toBe(true);
  });

  it('signs so that the public key verifies it, and no other key, body, id or time', () => {
    const { secret, publicKey } = newSigningKey('v1a');
    const headers = signedHeaders(ID, BODY, [secret], new Date());
    const other = newSigningKey('v1a').publicKey;
    expect(isSignedWith(publicKey, headers, BODY)).toBe(true);
    expect(isSignedWith(other, headers, BODY)).toBe(false);
    expect(isSignedWith(publicKey, headers, BODY.replace('0.10', '9.10'))).toBe(false);
    expect(isSignedWith(publicKey, { ...headers, 'webhook-id': 'other' }, BODY)).toBe(false);
    expect(isSignedWith(publicKey, { ...headers, 'webhook-timestamp': '1' }, BODY)).toBe(false);
  });

  it('signs with each valid key, so that both verify while one replaces the other', () => {
    const keys = [newSigningKey('v1a'), newSigningKey('v1a')];
    const headers = signedHeaders(
      ID,
      BODY,
      keys.map(({ secret }) => secret),
      new Date(),
    );
    expect(headers['webhook-signature']).toMatch(/^v1a,[A-Za-z0-9+/]{86}== v1a,[A-Za-z0-9+/]{86}==$/);
    for (const { publicKey } of keys) expect(isSignedWith(publicKey, headers, BODY)).toBe(true);
  });
});

describe('newSigningKey', () => {
  it('is a shared secret for v1, with nothing that could be shown later', () => {
    expect(newSigningKey('v1')).toEqual({
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
      publicKey: null,
    });
    expect(newSecret()).not.toBe(newSecret());
  });

  it('is an ed25519 key pair for v1a: the private key and the public one behind it, and the public one', () => {
    const { secret, publicKey } = newSigningKey('v1a');
    const bytes = Buffer.from(secret.replace('whsk_', ''), 'base64');
    expect(bytes).toHaveLength(64);
    expect(publicKey).toBe(`whpk_${bytes.subarray(32).toString('base64')}`);
    expect(newSigningKey('v1a').secret).not.toBe(secret);
  });
});

describe('outcomeOfStatus', () => {
  const now = new Date();
  it.each([200, 201, 202, 204, 299])('takes %i as an acknowledgement', (status) => {
    expect(outcomeOfStatus(status, undefined, now)).toEqual({ kind: 'delivered', httpStatus: status });
  });

  it.each([
    [199, 'status'],
    [300, 'redirect'],
    [301, 'redirect'],
    [304, 'redirect'],
    [307, 'redirect'],
    [399, 'redirect'],
    [400, 'status'],
    [404, 'status'],
    [410, 'gone'],
    [429, 'status'],
    [500, 'status'],
    [503, 'status'],
    [999, 'status'],
  ])('takes %i as failed: %s', (status, failure) => {
    const outcome = { kind: 'failed', failure, httpStatus: status, retryAfterMs: 7_000 };
    expect(outcomeOfStatus(status, '7', now)).toEqual(outcome);
  });
});

describe('client verify', () => {
  const EVENT = { ...eventOfPayment('quote-1', 1), source: 'Ä-1 💶' };
  const BODY = JSON.stringify(EVENT);
  const NOW = new Date();
  const [V1, OTHER] = [newSigningKey('v1'), newSigningKey('v1')];
  const V1A = newSigningKey('v1a');
  const HEADERS = signedHeaders(EVENT.id, BODY, [V1.secret], NOW);

  function refusal(act: () => unknown): RefusalCode | null {
    try {
      act();
      return null;
    } catch (error) {
      if (error instanceof InvalidWebhook) return error.code;
      throw error;
    }
  }

  describe('verifyWebhook', () => {
    beforeEach(() => void jest.useFakeTimers({ now: NOW }));
    afterEach(() => void jest.useRealTimers());

    it('answers the event that was signed, from text or bytes, and from any kind of headers', () => {
      const upper = Object.fromEntries(
        Object.entries(HEADERS).map(([name, value]) => [name.toUpperCase(), value]),
      );
      for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY)])
        for (const headers of [HEADERS, upper, new Headers(HEADERS), { ...HEADERS, accept: ['a', 'b'] }])
          expect(verifyWebhook(body, headers, V1.secret)).toEqual(EVENT);
    });

    it('takes headers that are lists of one value, as some servers have them, and none of several', () => {
      const lists = Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name, [value]]));
      expect(verifyWebhook(BODY, lists, V1.secret)).toEqual(EVENT);
      const doubled = { ...lists, 'webhook-id': [EVENT.id, EVENT.id] };
      expect(refusal(() => verifyWebhook(BODY, doubled, V1.secret))).toBe('missing_header');
    });

    it('takes a list of secrets, and webhooks that are signed with several', () => {
      const both = signedHeaders(EVENT.id, BODY, [OTHER.secret, V1.secret], NOW);
      expect(verifyWebhook(BODY, both, V1.secret)).toEqual(EVENT);
      expect(verifyWebhook(BODY, HEADERS, [OTHER.secret, V1.secret])).toEqual(EVENT);
      expect(refusal(() => verifyWebhook(BODY, HEADERS, [OTHER.secret]))).toBe('wrong_signature');
    });

    it('verifies with a public key what was signed with its private one, and nothing else', () => {
      const key = V1A.publicKey ?? '';
      const headers = signedHeaders(EVENT.id, BODY, [V1A.secret], NOW);
      expect(verifyWebhook(Buffer.from(BODY), headers, key)).toEqual(EVENT);
      expect(verifyWebhook(BODY, headers, [V1.secret, key])).toEqual(EVENT);
      for (const [body, sent] of [
        [BODY, HEADERS],
        [`${BODY} `, headers],
        [BODY, { ...headers, 'webhook-signature': 'v1a,' }],
        [BODY, { ...headers, 'webhook-signature': headers['webhook-signature']?.replace('v1a', 'v1') }],
      ] as const)
        expect(refusal(() => verifyWebhook(body, sent, key))).toBe('wrong_signature');
    });

    it('says why it refuses', () => {
      const at = (ms: number) => signedHeaders(EVENT.id, BODY, [V1.secret], new Date(NOW.getTime() + ms));
      const sign = (body: string, id = EVENT.id) =>
        [body, signedHeaders(id, body, [V1.secret], NOW)] as const;
      const cases: [body: string | Uint8Array, headers: object, code: RefusalCode][] = [
        [BODY, {}, 'missing_header'],
        [BODY, { ...HEADERS, 'webhook-id': undefined }, 'missing_header'],
        [BODY, { ...HEADERS, 'webhook-signature': ['a', 'b'] }, 'missing_header'],
        [BODY, at(-301_000), 'wrong_time'],
        [BODY, at(302_000), 'wrong_time'],
        [BODY, { ...HEADERS, 'webhook-timestamp': 'now' }, 'wrong_time'],
        [`${BODY} `, HEADERS, 'wrong_signature'],
        [JSON.stringify({ ...EVENT, type: 'payment.completed' }), HEADERS, 'wrong_signature'],
        [BODY, { ...HEADERS, 'webhook-id': randomUUID() }, 'wrong_signature'],
        [BODY, { ...HEADERS, 'webhook-signature': 'v1' }, 'wrong_signature'],
        [BODY, { ...HEADERS, 'webhook-signature': 'v2,abc' }, 'wrong_signature'],
        [Buffer.from([0xff, 0xfe]), HEADERS, 'unreadable_event'],
        [...sign('{"id":1}'), 'unreadable_event'],
        [...sign('no JSON'), 'unreadable_event'],
        [...sign(BODY, randomUUID()), 'unreadable_event'],
      ];
      for (const [body, headers, code] of cases)
        expect([
          body,
          headers,
          refusal(() => verifyWebhook(body, headers as Record<string, string>, V1.secret)),
        ]).toEqual([body, headers, code]);
      expect(refusal(() => verifyWebhook(BODY, at(-295_000), V1.secret))).toBeNull();
    });

    it('throws for the developer, and does not blame the sender, for a parsed body or a bad secret', () => {
      const wrongly = (body: unknown, secrets: unknown) => () =>
        verifyWebhook(body as string, HEADERS, secrets as string);
      expect(wrongly(EVENT, V1.secret)).toThrow(/needs the raw body/);
      for (const secrets of [
        undefined,
        '',
        [],
        'whsk_AAAA',
        'abc',
        ['whsec_AAAA', undefined],
        'whsec_!',
        'whpk_AAAA',
      ])
        expect(wrongly(BODY, secrets)).toThrow(TypeError);
      const bad = `whsec_${randomBytes(3).toString('hex')}!`;
      expect(wrongly(BODY, bad)).toThrow(/^(?!.*whsec_\w)/);
    });
  });

  describe('parseMessage', () => {
    it('reads what Paybell publishes, properties or not', () => {
      const properties = { messageId: EVENT.id, type: EVENT.type, headers: {}, appId: 'paybell' };
      expect(parseMessage(Buffer.from(BODY), properties)).toEqual(EVENT);
      expect(parseMessage(BODY)).toEqual(EVENT);
      expect(parseMessage(BODY, { messageId: undefined, type: null })).toEqual(EVENT);
      expect(parseEvent(BODY)).toEqual(EVENT);
    });

    it('refuses what is no event, or not the one that the properties name', () => {
      for (const [content, properties] of [
        ['', {}],
        ['null', {}],
        ['[]', {}],
        [JSON.stringify({ ...EVENT, data: null }), {}],
        [JSON.stringify({ ...EVENT, id: '' }), {}],
        [JSON.stringify({ ...EVENT, specversion: '0.3' }), {}],
        [BODY, { messageId: randomUUID() }],
        [BODY, { type: 'payment.created' }],
      ] as const)
        expect(() => parseMessage(content, properties)).toThrow(UnreadableEvent);
    });

    const PAYMENT_EVENT = eventOfPayment(randomUUID(), 1);
    const withData = (data: object): string =>
      JSON.stringify({ ...PAYMENT_EVENT, data: { ...PAYMENT_EVENT.data, ...data } });

    it.each([
      ...['4', 0, -1, 1.5, 2 ** 53, null].map((sequence) => ['sequence', withData({ sequence })]),
      ...[7, null, ''].map((status) => ['status', withData({ status })]),
      ...[7, undefined, ''].map((quoteId) => ['quoteId', withData({ quoteId })]),
      ['subject', JSON.stringify({ ...PAYMENT_EVENT, subject: undefined })],
      ['sequence', JSON.stringify({ ...EVENT, subject: 'a payment', data: { quoteId: 'q', status: 's' } })],
    ])('refuses an event about a payment without its %s: %s', (field, content = '') => {
      expect(() => parseEvent(content)).toThrow(UnreadableEvent);
      expect(() => parseEvent(content)).toThrow(field);
    });

    it('reads the types and statuses of a newer Paybell', () => {
      const newer = { ...PAYMENT_EVENT, type: 'payment.refunded' };
      expect(parseEvent(JSON.stringify(newer))).toEqual(newer);
      expect(parseEvent(withData({ status: 'REFUNDED' })).data).toMatchObject({ status: 'REFUNDED' });
    });
  });
});
