import { randomBytes, randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { signedHeaders } from '../../src/destinations/webhook/webhook-sender.ts';
import {
  InvalidWebhook,
  parseEvent,
  parseMessage,
  UnreadableEvent,
  verifyWebhook,
  type RefusalCode,
} from '../../packages/client/src/index.ts';
import { newSigningKey } from '../../src/features/webhook-endpoints/new-signing-key.ts';
import { eventOfPayment } from '../support/paybell-events.ts';

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
    const sign = (body: string, id = EVENT.id) => [body, signedHeaders(id, body, [V1.secret], NOW)] as const;
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
});
