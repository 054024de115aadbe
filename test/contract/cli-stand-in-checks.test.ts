import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { asText } from '../../src/cli/provider/check-text.ts';
import type { Config } from '../../src/config/config.ts';
import { checkOf } from '../../src/providers/registered-providers.ts';
import type { CheckLine } from '../../src/providers/shared/check-list.ts';
import { ChainflipStandIn } from '../../tools/chainflip-stand-in/chainflip-stand-in.ts';
import { OneClickStandIn } from '../../tools/oneclick-stand-in/oneclick-stand-in.ts';
import { configOf } from '../support/config-of.ts';

const KEY = 'key-that-nobody-may-see';
/** `fetch` itself refuses port 1. */
const AWAY = 'http://127.0.0.1:2';

let oneClick: OneClickStandIn;
let chainflip: ChainflipStandIn;

beforeAll(async () => {
  oneClick = await OneClickStandIn.start({ apiKeys: [KEY] });
  chainflip = await ChainflipStandIn.start();
});
afterAll(() => Promise.all([oneClick.close(), chainflip.close()]));

interface Checked {
  readonly lines: readonly CheckLine[];
  readonly isGood: boolean;
  readonly text: string;
  readonly lineOf: (check: string) => CheckLine;
}

async function checked(name: string, config: Config): Promise<Checked> {
  const list = await (await checkOf(name, config)).conform();
  const { lines, isGood } = list;
  const lineOf = (check: string): CheckLine => {
    const found = lines.find((line) => line.check === check);
    if (found === undefined) throw new Error(`no line about ${check}`);
    return found;
  };
  return { lines, isGood, text: asText(list, name), lineOf };
}

type Change = Record<string, string>;

const oneClickConfig = (change: Change = {}): Config =>
  configOf({
    PROVIDER: 'oneclick',
    ONECLICK_BASE_URL: oneClick.url,
    ONECLICK_API_KEY: KEY,
    ONECLICK_QUOTE_KEY: oneClick.signer.publicKey,
    ONECLICK_REFUND_TO: `evm:0x${'ab'.repeat(20)},tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t,xrp:rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY,ton:EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs`,
    ONECLICK_APP_FEES: 'shop.near:30',
    ...change,
  });
const chainflipConfig = (change: Change = {}): Config =>
  configOf({
    PROVIDER: 'chainflip',
    CHAINFLIP_BASE_URL: chainflip.url,
    CHAINFLIP_RPC_URL: chainflip.brokerUrl,
    ...change,
  });

const ofOneClick = (change?: Change): Promise<Checked> => checked('oneclick', oneClickConfig(change));
const ofChainflip = (change?: Change): Promise<Checked> => checked('chainflip', chainflipConfig(change));

/** Doubts of the fact sheets that a request without money settles; each stand-in has other gaps. */
describe.each([
  {
    name: '1Click',
    check: ofOneClick,
    reached: async () => (await checkOf('oneclick', oneClickConfig())).reach(),
    tried: [
      'tokens',
      'Bitcoin',
      'dry quote',
      'dry quote of an exact output',
      'quote',
      'status',
      'signature in a status',
      'status with a wrong memo',
      'invented deposit',
      'status after an invented deposit',
      'wrong key',
      'fee without a key',
      'fee with the key',
      'key as a bearer token',
      'amount of one unit',
      'least amount of BNB Chain',
      'least amount of Tron',
      'app fees',
      'memo of XRP',
      'memo of TON',
      'letters of an echoed address',
      'wrong checksum of an address',
      'deadline in the past',
      'deadline in 90 days',
      'headers of limits',
    ],
    differing: [],
    secret: KEY,
    requests: () => oneClick.requests,
    mostRequests: 40,
    /** Quotes that are never paid. */
    made: () =>
      oneClick.requests.filter(({ path, body }) => path === '/v0/quote' && !(body as { dry: boolean }).dry)
        .length,
    mostMade: 3,
    spoil: () => oneClick.lie('another recipient'),
    spoilt: 'quote',
    away: { ONECLICK_BASE_URL: AWAY },
  },
  {
    name: 'Chainflip',
    check: ofChainflip,
    reached: async () => (await checkOf('chainflip', chainflipConfig())).reach(),
    tried: [
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
    ],
    differing: ['quote of CBBTC on Ethereum'],
    secret: 'key-of-the-broker',
    requests: () => chainflip.requests,
    mostRequests: 25,
    made: () => chainflip.channels.count,
    mostMade: 1,
    spoil: () => chainflip.fault('json500', { path: '/api/openSwapDepositChannel' }),
    spoilt: 'channel for anybody',
    away: { CHAINFLIP_BASE_URL: AWAY, CHAINFLIP_RPC_URL: '' },
  },
])(
  'the check of $name',
  ({ check, reached, tried, differing, secret, requests, mostRequests, made, mostMade, ...more }) => {
    it('tries all that is uncertain and costs nothing, and says what was expected and what was seen', async () => {
      const before = [requests().length, made()] as const;
      const { lines, isGood, text } = await check();
      expect(requests().length - before[0]).toBeLessThan(mostRequests);
      expect(made() - before[1]).toBeLessThanOrEqual(mostMade);
      const found = lines.filter(({ outcome }) => outcome !== 'not tried');
      expect(found.map((line) => line.check).sort()).toEqual([...tried].sort());
      for (const { detail } of found) expect(detail).toMatch(/^expected .+; seen: ./);
      expect(found.filter(({ outcome }) => outcome === 'differs').map((line) => line.check)).toEqual(
        differing,
      );
      expect([isGood, text.includes(secret)]).toEqual([true, false]);
      for (const { detail } of lines) expect(detail).toMatch(/\w{3}/);
    });

    it('only reads where the doctor asks: whether it answers', async () => {
      const before = [requests().length, made()] as const;
      const { isGood, lines } = await reached();
      const sent = requests().slice(before[0]);
      expect([isGood, lines.map((line) => line.check), made() - before[1]]).toEqual([true, ['tokens'], 0]);
      expect(sent.map(({ method }) => method)).toEqual(['GET']);
    });

    it('says which essential thing differs', async () => {
      more.spoil();
      const { isGood, lineOf } = await check();
      oneClick.recover();
      chainflip.recover();
      expect(isGood).toBe(false);
      expect(lineOf(more.spoilt)).toMatchObject({ outcome: 'differs', isEssential: true });
      expect(lineOf('status')).toMatchObject({ outcome: 'not tried', isEssential: true });
    });

    it('tries nothing else where nothing answers', async () => {
      const { isGood, lines, lineOf } = await check(more.away);
      expect(isGood).toBe(false);
      expect(lineOf('tokens')).toMatchObject({
        outcome: 'differs',
        detail: expect.stringContaining('no answer: connection refused'),
      });
      expect(lines.filter(({ outcome }) => outcome !== 'not tried')).toHaveLength(1);
    });
  },
);

describe('the check of 1Click alone', () => {
  it('checks the signature with the key of the settings', async () => {
    const { isGood, lineOf } = await ofOneClick({
      ONECLICK_QUOTE_KEY: 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc',
    });
    expect([isGood, lineOf('quote').detail]).toEqual([
      false,
      expect.stringContaining('differs in: signature'),
    ]);
  });

  it('works without a key, and says what it could not try', async () => {
    const { isGood, lineOf } = await ofOneClick({ ONECLICK_API_KEY: '', ONECLICK_APP_FEES: '' });
    expect(isGood).toBe(true);
    expect(lineOf('fee without a key').detail).toContain('seen: 20 bp');
    for (const check of ['fee with the key', 'key as a bearer token', 'app fees'])
      expect(lineOf(check).outcome).toBe('not tried');
  });
});

it('the check of Chainflip names the limits of the state chain, and asks about one unknown channel', async () => {
  const isUnknown = ({ path }: { path: string }): boolean => path === '/v2/swaps/1-Ethereum-1';
  const before = chainflip.requests.filter(isUnknown).length;
  expect((await ofChainflip()).lineOf('limits of the state chain').detail).toMatch(
    /least deposit \d+, least output \d+, least network fee 500000, most blocks of retry 600$/,
  );
  expect(chainflip.requests.filter(isUnknown)).toHaveLength(before + 1);
});
