import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { asText, type CheckLine } from '../../src/cli/provider/check-list.ts';
import { checkProvider } from '../../src/cli/provider/provider-check.ts';
import { ChainflipStandIn } from '../../tools/chainflip-stand-in/chainflip-stand-in.ts';
import { configOf } from '../support/config-of.ts';

/** A part of each line; what is doubtful in the fact sheet, section 12, and costs nothing to try. */
const TRIED = [
  'tokens',
  'tokens that Paybell does not know',
  'BNB Chain, cbBTC, Asset Hub',
  'quote of USDC on Ethereum',
  'quote of BTC on Bitcoin',
  'quote of SOL on Solana',
  'quote of ETH on Arbitrum',
  'quote of TRX on Tron',
  'quote of CBBTC on Ethereum',
  'quote of BNB on BNB Chain',
  'quote of DOT on Polkadot Asset Hub',
  'least amount',
  'a body that fits no schema',
  'unknown channel',
  'channel for anybody',
  'life of a channel',
  'status',
  'age of its data',
  'headers of limits',
  'limits of the state chain',
];

describe('the check of Chainflip', () => {
  let chainflip: ChainflipStandIn;

  beforeAll(async () => {
    chainflip = await ChainflipStandIn.start();
  });

  afterAll(() => chainflip.close());

  async function checked(change: Record<string, string> = {}): Promise<{
    lines: readonly CheckLine[];
    isGood: boolean;
    text: string;
    lineOf: (check: string) => CheckLine | undefined;
  }> {
    const list = await checkProvider(
      configOf({
        PROVIDER: 'chainflip',
        CHAINFLIP_BASE_URL: chainflip.url,
        CHAINFLIP_RPC_URL: chainflip.brokerUrl,
        ...change,
      }),
      'chainflip',
    );
    const { lines, isGood } = list;
    const lineOf = (check: string): CheckLine | undefined => lines.find((line) => line.check === check);
    return { lines, isGood, text: asText(list, 'chainflip'), lineOf };
  }

  it('tries all that is doubtful and costs nothing, and says what was expected and what was seen', async () => {
    const { lines, isGood, text, lineOf } = await checked();
    const tried = lines.filter(({ outcome }) => outcome !== 'not tried');
    expect(tried.map(({ check }) => check).sort()).toEqual([...TRIED].sort());
    for (const { detail } of tried) expect(detail).toMatch(/^expected .+; seen: ./);
    // The stand-in has no cbBTC.
    expect(tried.filter(({ outcome }) => outcome === 'differs').map(({ check }) => check)).toEqual([
      'quote of CBBTC on Ethereum',
    ]);
    expect(isGood).toBe(true);
    expect(lineOf('limits of the state chain')?.detail).toMatch(
      /least deposit \d+, least output \d+, least network fee 500000, most blocks of retry 600$/,
    );
    expect(text).not.toContain('key-of-the-broker');
    const untried = lines.filter(({ outcome }) => outcome === 'not tried');
    expect(untried.length).toBeGreaterThanOrEqual(10);
    for (const { detail } of untried) expect(detail).toMatch(/\w{3}/);
  });

  it('pays nothing, opens one channel and asks about one unknown one', async () => {
    const before = [chainflip.requests.length, chainflip.channels.count] as const;
    await checked();
    const asked = chainflip.requests.slice(before[0]);
    expect(asked.length).toBeLessThan(25);
    expect(chainflip.channels.count - before[1]).toBe(1);
    expect(asked.filter(({ path }) => path === '/v2/swaps/1-Ethereum-1')).toHaveLength(1);
  });

  it('says which essential thing differs', async () => {
    chainflip.fault('json500', { path: '/api/openSwapDepositChannel' });
    const { isGood, lineOf } = await checked();
    chainflip.recover();
    expect(isGood).toBe(false);
    expect(lineOf('channel for anybody')).toMatchObject({ outcome: 'differs', isEssential: true });
    expect(lineOf('status')).toMatchObject({ outcome: 'not tried', isEssential: true });
  });

  it('tries nothing else where nothing answers, and works without the state chain', async () => {
    const { isGood, lines, lineOf } = await checked({
      CHAINFLIP_BASE_URL: 'http://127.0.0.1:1',
      CHAINFLIP_RPC_URL: '',
    });
    expect(isGood).toBe(false);
    expect(lineOf('tokens')?.detail).toContain('no answer');
    expect(lineOf('limits of the state chain')?.outcome).toBe('not tried');
    expect(lines.filter(({ outcome }) => outcome !== 'not tried')).toHaveLength(1);
  });
});
