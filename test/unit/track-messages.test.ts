import { beforeEach, describe, expect, it } from '@jest/globals';

import { Adoption } from '../../src/features/adoption/adoption.ts';
import { PaymentsService } from '../../src/features/payments/payments.service.ts';
import { TrackMessages } from '../../src/features/payments/track-messages.ts';
import { ProviderCredentials } from '../../src/ports/payment-provider.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { TrackOutcome } from '../../src/ports/track-requests.ts';
import { UNTRACED } from '../../src/ports/tracer.ts';
import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { reportOf } from '../support/fakes/provider.fake.ts';
import { FeatureApp } from '../support/feature-app.ts';

const QUOTE_ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
const BODY = JSON.stringify({ quoteId: QUOTE_ID, orderId: 'A-1', metadata: { shop: 'eu' } });

let world: FeatureApp;
let messages: TrackMessages;

beforeEach(() => {
  world = new FeatureApp();
  const { provider, payments, meter, clock, cells } = world;
  const signals = new DeliverySignals();
  const adoption = new Adoption(cells, payments, signals, meter, clock, clock.timers);
  const { witness, watchedDeposits, proofs, withheld } = world;
  const ports = [witness, watchedDeposits, proofs, withheld] as const;
  const service = new PaymentsService(payments, signals, adoption, cells, ...ports);
  messages = new TrackMessages(service, UNTRACED);
  provider.statuses.set(QUOTE_ID, reportOf(QUOTE_ID));
});

function take(
  body: string | Uint8Array,
  contentType: string | null = 'application/json',
  contentEncoding: string | null = null,
): Promise<TrackOutcome> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return messages.takeRequest({ body: bytes, contentType, contentEncoding, traceparent: undefined });
}

describe('a message of the track queue', () => {
  it('tracks its quote with order id and metadata, once however often it comes', async () => {
    expect(await take(BODY)).toEqual({ kind: 'taken', isNew: true });
    expect(await take(BODY)).toEqual({ kind: 'taken', isNew: false });
    expect(await world.payments.find(QUOTE_ID)).toMatchObject({ orderId: 'A-1', metadata: { shop: 'eu' } });
    expect(world.payments.adds).toBe(1);
  });

  it('stores the quote that it carries, as the text it came in', async () => {
    const quote = '{"quoteId" : "q-1", "n":123456789012345678901234567890}'.replace('q-1', QUOTE_ID);
    expect(await take(`{"quoteId":"${QUOTE_ID}","quote": ${quote}}`)).toMatchObject({ kind: 'taken' });
    expect(await world.payments.find(QUOTE_ID)).toMatchObject({ quoteText: quote });
    const foreign = await take(JSON.stringify({ quoteId: QUOTE_ID, quote: { quoteId: 'another' } }));
    expect(foreign).toMatchObject({ kind: 'rejected', code: 'invalid_request' });
  });

  it('that names another order of a completed payment is rejected', async () => {
    world.provider.statuses.set(QUOTE_ID, reportOf(QUOTE_ID, 'COMPLETED'));
    await take(BODY);
    const outcome = await take(BODY.replace('A-1', 'A-2'));
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'order_already_named' });
  });

  it('sets no status, whatever it says: only the provider does', async () => {
    const more = { status: 'COMPLETED', report: { status: 'COMPLETED' }, late: true, sequence: 9 };
    expect(await take(JSON.stringify({ ...(JSON.parse(BODY) as object), ...more }))).toMatchObject({
      kind: 'taken',
    });
    const [row] = [...world.payments.rows.values()];
    expect(row).toMatchObject({ payment: { status: 'AWAITING_DEPOSIT', late: false } });
  });

  it.each([
    [null, null],
    ['', 'utf-8'],
    ['application/json; charset=utf-8', 'UTF-8'],
    ['application/vnd.shop.quote+json', 'identity'],
  ])('is read with the content type %s and the encoding %s', async (contentType, contentEncoding) => {
    expect(await take(BODY, contentType, contentEncoding)).toMatchObject({ kind: 'taken' });
  });

  it.each([
    ['not JSON', '{"quoteId":', 'malformed_json', 'not valid JSON'],
    ['empty', '', 'malformed_json', 'not valid JSON'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'malformed_json', 'UTF-8'],
    ['10 MB large', Buffer.alloc(10_000_000, 0x20), 'body_too_large', '256 KiB'],
    [
      'nested deeply',
      `{"quoteId":"q","x":${'['.repeat(40_000)}${']'.repeat(40_000)}}`,
      'invalid_request',
      'nested',
    ],
    ['no object', '[]', 'invalid_request', 'body must be a JSON object.'],
    ['without an id', '{}', 'invalid_request', 'quoteId must be'],
    ['with a wrong order id', '{"quoteId":"q","orderId":7}', 'invalid_request', 'orderId must be'],
    ['with a blank order id', '{"quoteId":"q","orderId":" "}', 'invalid_request', 'orderId must be'],
    ['misspelt', '{"quoteId":"q","order_id":"A"}', 'invalid_request', 'did you mean "orderId"?'],
    ['with NUL', '{"quoteId":"q","orderId":"\\u0000"}', 'invalid_request', 'NUL'],
    ['about a quote that nobody knows', '{"quoteId":"unheard-of"}', 'unknown_payment', 'no payment'],
  ])('that is %s is rejected with a code and a sentence', async (_what, body, code, part) => {
    const outcome = await take(body);
    expect(outcome).toEqual({ kind: 'rejected', code, reason: expect.stringContaining(part) });
    expect(world.payments.rows.size).toBe(0);
  });

  it.each([
    ['text/plain', null],
    ['application/json', 'gzip'],
  ])('with the content type %s and the encoding %s is rejected', async (contentType, contentEncoding) => {
    expect(await take(BODY, contentType, contentEncoding)).toMatchObject({
      kind: 'rejected',
      code: 'unsupported_media_type',
    });
  });

  it('whose payment was removed is rejected with a code of its own, and the provider is not asked', async () => {
    world.payments.remove(QUOTE_ID);
    expect(await take(BODY)).toEqual({
      kind: 'rejected',
      code: 'payment_removed',
      reason: expect.stringContaining('removed'),
    });
    expect([world.payments.rows.size, world.provider.calls]).toEqual([0, 0]);
  });

  it('whose quote the provider refuses otherwise is rejected with its words', async () => {
    world.provider.statuses.set(QUOTE_ID, { kind: 'refused', httpStatus: 422, message: 'Not one of ours.' });
    expect(await take(BODY)).toEqual({
      kind: 'rejected',
      code: 'provider_refused',
      reason: 'Not one of ours.',
    });
  });

  it('waits while the provider is away or too busy, as long as it asks for', async () => {
    const busy = {
      kind: 'unavailable',
      reason: 'it answered 429',
      retryAfterMs: 7_000,
      httpStatus: 429,
    } as const;
    world.provider.statuses.set(QUOTE_ID, busy);
    expect(await take(BODY)).toMatchObject({ kind: 'held', retryInMs: 7_000 });
    world.provider.statuses.set(QUOTE_ID, { kind: 'credentials' });
    expect(await take(BODY)).toEqual({
      kind: 'held',
      reason: new ProviderCredentials().message,
      retryInMs: null,
    });
  });

  it('waits while the database is away, and throws what nobody expects', async () => {
    world.payments.failNextAdd = new StoreUnavailable();
    expect(await take(BODY)).toEqual({
      kind: 'held',
      reason: 'The database does not answer.',
      retryInMs: null,
    });
    world.payments.failNextAdd = new Error('a bug');
    await expect(take(BODY)).rejects.toThrow('a bug');
    expect(await take(BODY)).toEqual({ kind: 'taken', isNew: true });
  });
});
