import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { recorded } from '../../tools/relay-stand-in/recorded/recorded.js';
import { RelayStandIn } from '../../tools/relay-stand-in/relay-stand-in.js';

type Json = Record<string, unknown>;

const RECIPIENT = '0x1111111111111111111111111111111111111111';
const QUOTE = {
  user: '0x000000000000000000000000000000000000dead',
  recipient: RECIPIENT,
  originChainId: 8453,
  originCurrency: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  destinationChainId: 42161,
  destinationCurrency: '0x0000000000000000000000000000000000000000',
  amount: '25000000',
  tradeType: 'EXACT_INPUT',
  useDepositAddress: true,
  refundTo: RECIPIENT,
};

/**
 * The provider's tests cover all of Paybell's requests to the stand-in. These tests compare its answers with those of the real
 * Relay.
 */
describe('the stand-in for Relay', () => {
  let relay: RelayStandIn;
  const nowAt = Date.parse('2026-11-20T12:00:00.000Z');

  beforeEach(async () => {
    relay = await RelayStandIn.start({ apiKey: 'relay-key', clock: { now: () => new Date(nowAt) } });
  });

  afterEach(() => relay.close());

  async function call(path: string, body?: object): Promise<{ status: number; json: Json }> {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(relay.url + path, {
      headers: { 'content-type': 'application/json' },
      ...sent,
    });
    return { status: answer.status, json: (await answer.json()) as Json };
  }

  it('begins each request id with its time in milliseconds, as the recorded one does', async () => {
    const { start, createdAt } = recorded('request-id-start') as { start: string; createdAt: string };
    expect(start).toBe(`0x${Date.parse(createdAt)}`);
    const { json } = await call('/quote/v2', QUOTE);
    expect(json['requestId']).toMatch(new RegExp(`^0x${nowAt}[0-9a-f]{51}$`));
    expect(await call(`/intents/status/v3?requestId=${String(json['requestId'])}`)).toEqual({
      status: 200,
      json: recorded('status-of-unknown'),
    });
  });

  it('answers without a key as Relay does', async () => {
    expect(await call('/quote/v2', { ...QUOTE, referrer: 'paybell' })).toEqual({
      status: 401,
      json: recorded('quote-without-key'),
    });
    expect(await call('/requests/v3')).toEqual({ status: 400, json: recorded('requests-without-key') });
  });

  it('has the native tokens that the recorded chains have', async () => {
    const chains = (await call('/chains')).json['chains'] as Json[];
    for (const native of recorded('natives') as Json[]) {
      const chain = chains.find(({ id }) => id === native['id']);
      const { name, displayName, symbol, isInput } = native;
      expect(chain).toMatchObject({ name, displayName, currency: { symbol, supportsBridging: isInput } });
      const solver = chain?.['solverCurrencies'] as Json[];
      expect(solver.some((token) => token['symbol'] === symbol)).toBe(isInput);
    }
  });
});
