import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ChainflipStandIn } from '../../tools/chainflip-stand-in/chainflip-stand-in.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read field by field
type Json = Record<string, any>;

const WALLET = `0x${'22'.repeat(20)}`;
const REFUND_TO = `0x${'11'.repeat(20)}`;
const USDC = { chain: 'Ethereum', asset: 'USDC' };
const ARB_USDC = { chain: 'Arbitrum', asset: 'USDC' };
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const CHANNEL = {
  srcAsset: USDC,
  destAsset: ARB_USDC,
  destAddress: WALLET,
  amount: '25000000',
  fillOrKillParams: {
    retryDurationBlocks: 50,
    refundAddress: REFUND_TO,
    minPriceX128: (((1n << 128n) * 97n) / 100n).toString(),
    maxOraclePriceSlippage: null,
  },
};

describe("Chainflip's stand-in", () => {
  let at: number;
  let chainflip: ChainflipStandIn;

  beforeEach(async () => {
    at = Date.parse('2026-11-26T10:00:00.000Z');
    chainflip = await ChainflipStandIn.start({ clock: { now: () => new Date(at) } });
  });

  afterEach(() => chainflip.close());

  async function ask(path: string, body?: unknown): Promise<{ status: number; json: Json }> {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(chainflip.url + path, sent);
    return { status: answer.status, json: (await answer.json()) as Json };
  }

  const open = (change: Json = {}): Promise<{ status: number; json: Json }> =>
    ask('/api/openSwapDepositChannel', { ...CHANNEL, ...change });
  const quote = (change: Record<string, string> = {}): Promise<{ status: number; json: Json }> => {
    const asked = { srcChain: 'Ethereum', srcAsset: 'USDC', destChain: 'Arbitrum', destAsset: 'USDC' };
    return ask(`/v2/quote?${new URLSearchParams({ ...asked, amount: '25000000', ...change }).toString()}`);
  };

  it.each([
    [{ amount: '1000' }, 400, 'expected amount is below minimum swap amount (20000000)'],
    [{ amount: '1.5' }, 400, 'invalid request'],
    [{ srcChain: 'Base' }, 400, 'invalid request'],
    [{ destChain: 'Ethereum' }, 400, 'Requested assets cannot be swapped'],
  ])('refuses the quote %j with exactly one message', async (change, status, message) => {
    expect(await quote(change)).toEqual({ status, json: { message } });
  });

  it('opens a channel whose status is there at once, whatever amount it notes', async () => {
    const { status, json } = await open();
    expect(status).toBe(201);
    expect(json['id']).toMatch(/^\d+-Ethereum-\d+$/);
    expect(json['estimatedExpiryTime']).toBe(at + 24 * HOUR_MS);
    const told = await ask(`/v2/swaps/${json['id']}`);
    expect(told.json).toMatchObject({
      state: 'WAITING',
      depositChannel: { id: json['id'], expectedDepositAmount: '25000000', isExpired: false },
      fillOrKillParams: { minPrice: expect.stringMatching(/^0\.9699999|^0\.97$/), retryDurationBlocks: 50 },
    });
    expect(JSON.stringify(told.json)).not.toContain('null');
    at += 24 * HOUR_MS;
    expect((await ask(`/v2/swaps/${json['id']}`)).json).toMatchObject({
      depositChannel: { isExpired: true },
    });
  });

  it('refuses an address of another chain as its schema does', async () => {
    const { status, json } = await open({ destAddress: 'bc1qaddress' });
    expect([status, json['name']]).toEqual([400, 'ZodError']);
    expect(json['issues'][0].message).toContain('is not a valid "Arbitrum" address for "mainnet"');
  });

  it('locks out for ten minutes after more than ten answers of 404 in a minute, and not before', async () => {
    const { json } = await open();
    for (let count = 0; count < 10; count += 1)
      expect((await ask('/v2/swaps/1-Ethereum-1')).status).toBe(404);
    expect((await ask(`/v2/swaps/${json['id']}`)).status).toBe(200);
    at += MINUTE_MS;
    expect((await ask('/v2/swaps/anything')).json).toEqual({ message: 'resource not found' });
    expect((await ask(`/v2/swaps/${json['id']}`)).status).toBe(200);
    for (let count = 0; count < 10; count += 1) await ask('/v2/swaps/1-Ethereum-1');
    const locked = await fetch(`${chainflip.url}/v2/swaps/${json['id']}`);
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, null]);
    expect((await quote()).status).toBe(200);
    at += 10 * MINUTE_MS;
    expect((await ask(`/v2/swaps/${json['id']}`)).status).toBe(200);
  });
});
