import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ChainflipStandIn } from '../../tools/chainflip-stand-in/chainflip-stand-in.ts';
import { STORY_NAMES, stepsOf, type Story } from '../../tools/chainflip-stand-in/stories.ts';

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

/** The words that are read one after the other, a read behind each move. */
const WORDS: Readonly<Record<Story, string>> = {
  plain: 'WAITING RECEIVING SWAPPING SENDING SENT COMPLETED',
  fast: 'WAITING COMPLETED',
  'nobody pays': 'WAITING',
  'without the tracker': 'WAITING SWAPPING SENDING COMPLETED',
  'seen, then forgotten': 'WAITING RECEIVING WAITING SWAPPING COMPLETED',
  'without a reference': 'WAITING SWAPPING COMPLETED',
  'the price was not met': 'WAITING SWAPPING SENDING COMPLETED',
  'a stall in safe mode': 'WAITING SWAPPING COMPLETED',
  'delivered in part, refunded in part': 'WAITING SWAPPING SENDING COMPLETED',
  'delivered, and the dust of a refund is kept': 'WAITING SWAPPING FAILED',
  'below the minimum': 'WAITING FAILED',
  'below the minimum, then a good deposit': 'WAITING FAILED SWAPPING SENDING COMPLETED',
  'the fees eat it up': 'WAITING FAILED',
  'rejected, then refunded': 'WAITING FAILED',
  'the output is too small': 'WAITING SWAPPING FAILED',
  'aborted, then delivered after all': 'WAITING SWAPPING SENDING FAILED',
  'the recipient could not take it': 'WAITING SWAPPING SENDING FAILED',
  'the fallback comes a poll later': 'WAITING SWAPPING SENDING COMPLETED SENDING FAILED',
  'over without any egress': 'WAITING SWAPPING COMPLETED',
  short: 'WAITING SWAPPING COMPLETED',
  over: 'WAITING SWAPPING COMPLETED',
  'a second deposit on the way': 'WAITING SWAPPING SENDING SWAPPING',
  'a second deposit after the end': 'WAITING SWAPPING COMPLETED SWAPPING COMPLETED',
  'swapping for ever': 'WAITING SWAPPING',
  'an unknown word': 'WAITING SWAPPING TELEPORTING',
  'another transaction than was seen': 'WAITING SWAPPING SENDING SENT COMPLETED',
  'another recipient in the answer': 'WAITING SWAPPING COMPLETED',
  'a time-out of the channel that is not known': 'WAITING SWAPPING COMPLETED',
  'numbers instead of texts': 'WAITING SWAPPING COMPLETED',
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

  it('quotes what arrives after all fees, which add up to what was paid', async () => {
    const { status, json } = await quote({ destAsset: 'ETH' });
    expect([status, json.length]).toEqual([200, 1]);
    const [{ type, depositAmount, egressAmount, includedFees, estimatedPrice }] = json as unknown as [Json];
    expect([type, depositAmount]).toEqual(['REGULAR', '25000000']);
    const feeOf = (kind: string): bigint =>
      BigInt(includedFees.find((fee: Json) => fee['type'] === kind).amount);
    const left = 25_000_000n - feeOf('INGRESS') - feeOf('NETWORK');
    expect(feeOf('NETWORK')).toBe(500_000n);
    expect(BigInt(egressAmount) + feeOf('EGRESS')).toBe((left * 10n ** 18n) / 2_694_830_000n);
    expect(Number(estimatedPrice) * Number(25_000_000n - feeOf('INGRESS'))).toBeCloseTo(
      Number(BigInt(egressAmount) + feeOf('EGRESS')) / 1e12,
      0,
    );
  });

  it('names the USDC leg where no side is USDC on Ethereum, and the larger offer in chunks', async () => {
    expect((await quote()).json[0]).not.toHaveProperty('intermediateAmount');
    const rich = await quote({ srcAsset: 'USDT', amount: '25000000000' });
    expect(rich.json.map(({ type }: Json) => type)).toEqual(['REGULAR', 'DCA']);
    expect(rich.json[0]).toMatchObject({ intermediateAmount: expect.stringMatching(/^24\d{9}$/) });
  });

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

  it('opens no 26th channel for one address and pair, in any case of its letters, until one is over', async () => {
    for (let count = 0; count < 25; count += 1) expect((await open()).status).toBe(201);
    expect(await open({ destAddress: WALLET.toUpperCase().replace('0X', '0x') })).toEqual({
      status: 400,
      json: { message: 'too many channels' },
    });
    expect((await open({ destAsset: { chain: 'Arbitrum', asset: 'ETH' } })).status).toBe(201);
    expect((await open({ destAddress: REFUND_TO })).status).toBe(201);
    at += 24 * HOUR_MS;
    expect((await open()).status).toBe(201);
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

  it('knows a channel that a broker opened only once it is indexed', async () => {
    const refund = {
      retry_duration: 50,
      refund_address: REFUND_TO,
      min_price: '0x1',
      max_oracle_price_slippage: null,
      refund_ccm_metadata: null,
    };
    const params = [USDC, ARB_USDC, WALLET, 30, null, null, null, refund, null];
    const call = { jsonrpc: '2.0', id: '1', method: 'broker_request_swap_deposit_address', params };
    const { json } = await ask('/rpc/key', [call]);
    const { address, issued_block: block, channel_id: channel } = json[0].result;
    const path = `/v2/swaps/${block}-Ethereum-${channel}`;
    expect((await ask(path)).status).toBe(404);
    at += 20_000;
    expect((await ask(path)).json).toMatchObject({
      depositChannel: { depositAddress: address, openedThroughBackend: false },
      brokers: [{ commissionBps: 30 }],
    });
    expect((await ask('/rpc/key', { ...call, method: 'cf_environment' })).json).toMatchObject({
      result: { ingress_egress: { minimum_deposit_amounts: { Ethereum: { USDC: '0x1312d00' } } } },
    });
  });

  it.each(STORY_NAMES)('says the words of the story: %s', async (story) => {
    const { json } = await open();
    const address = json['depositAddress'] as string;
    const words: string[] = [];
    const read = async (): Promise<Json> => {
      const told = (await ask(`/v2/swaps/${json['id']}`)).json;
      if (words.at(-1) !== told['state']) words.push(told['state']);
      return told;
    };
    await read();
    for (const [afterMs, move] of stepsOf(story)) {
      at += afterMs;
      move(chainflip.lives, address, chainflip.channel(address));
      await read();
    }
    expect(words.join(' ')).toBe(WORDS[story]);
  });

  it('shows one swap by its own id while the channel shows the newest one', async () => {
    const { json } = await open();
    const address = json['depositAddress'] as string;
    chainflip.lives.deposit(address);
    const first = (await ask(`/v2/swaps/${json['id']}`)).json['swapId'];
    chainflip.lives.settle(address);
    chainflip.lives.deposit(address, 30_000_000n);
    expect((await ask(`/v2/swaps/${first}`)).json).toMatchObject({ state: 'COMPLETED', swapId: first });
    const newest = (await ask(`/v2/swaps/${json['id']}`)).json;
    expect(newest).toMatchObject({ state: 'SWAPPING', deposit: { amount: '30000000' } });
    expect((await ask(`/v2/swaps/${newest['deposit'].txRef}`)).json['swapId']).toBe(newest['swapId']);
  });

  it('says why it kept or sent back what came', async () => {
    const told = async (story: Story): Promise<Json> => {
      const { json } = await open();
      const address = json['depositAddress'] as string;
      for (const [, move] of stepsOf(story)) move(chainflip.lives, address, chainflip.channel(address));
      return (await ask(`/v2/swaps/${json['id']}`)).json;
    };
    expect((await told('below the minimum'))['deposit'].failure).toMatchObject({
      mode: 'DEPOSIT_IGNORED',
      reason: { name: 'BelowMinimumDeposit' },
    });
    expect(await told('rejected, then refunded')).toMatchObject({
      deposit: { failure: { mode: 'DEPOSIT_REJECTED', reason: { name: 'TransactionRejectedByBroker' } } },
      refundEgress: { witnessedAt: at },
    });
    expect(await told('aborted, then delivered after all')).toMatchObject({
      state: 'FAILED',
      swapEgress: { failure: { mode: 'SENDING_FAILED' }, witnessedAt: at },
    });
    const fallback = await told('the recipient could not take it');
    expect(fallback).toMatchObject({ fallbackEgress: { destinationAddress: REFUND_TO } });
    expect(fallback['swapEgress']).toMatchObject({ witnessedAt: at });
  });

  it('keeps its channels while it is down, and says how late it reads its chain', async () => {
    const { json } = await open();
    await chainflip.down();
    await expect(ask(`/v2/swaps/${json['id']}`)).rejects.toThrow();
    await chainflip.up();
    chainflip.lag(HOUR_MS);
    expect((await ask(`/v2/swaps/${json['id']}`)).json['lastStatechainUpdateAt']).toBe(at - HOUR_MS);
  });
});
