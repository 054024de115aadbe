import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ChainWitnesses } from '../../../src/chains/chain-witnesses.ts';
import type { WatchedDeposit } from '../../../src/domain/proof/output.ts';
import { Anvil, callData, type Mined } from '../../../tools/testkit/anvil.ts';
import { LyingRpc } from '../../support/chain/lying-rpc.ts';
import { BASE, newAddress, witnessOf } from '../../support/chain/witness.ts';
import { describeWith } from '../../support/describe-with.ts';

/** The number of blocks for a chain whose node reports the block 64 below its head as final. */
const UNTIL_FINAL = 70;
const ASKED = 1_000n;
/** The largest amount that is dust. */
const DUST = 9n;

/**
 * A deposit in words: its amount, the payment that names its transaction, and `wrong` or `coin` for another token or the
 * native coin.
 */
type Shown = readonly [amount: bigint, of: number | null, what?: 'wrong' | 'coin'];

interface Case {
  /** The quote asks for the native coin. */
  readonly isCoin?: true;
  /** The payer passed the first transaction on. */
  readonly isNamed?: true;
  readonly send: (address: string) => Promise<readonly Mined[]>;
  readonly shown: readonly Shown[];
}

describeWith('anvil', 'a witness that inspects a deposit address', (path) => {
  let anvil: Anvil;
  let [token, wrong, spam, forwarder] = ['', '', '', ''];
  const witnesses: ChainWitnesses[] = [];

  beforeAll(async () => {
    anvil = await Anvil.start(path);
    token = await anvil.deploy('Token');
    wrong = await anvil.deploy('Token');
    spam = await anvil.deploy('Token');
    forwarder = await anvil.deploy('Forwarder');
    await anvil.mine(UNTIL_FINAL);
  });

  afterAll(async () => {
    await Promise.all(witnesses.map((witness) => witness.close()));
    await anvil.stop();
  });

  const witness = (...urls: readonly string[]): ChainWitnesses => {
    const made = witnessOf(urls);
    witnesses.push(made);
    return made;
  };

  const lookFor = (fields: Partial<WatchedDeposit>, asked = witness(anvil.url)) =>
    asked.inspectDeposit({
      chainId: BASE,
      token,
      depositAddress: newAddress(),
      asked: ASKED,
      others: [],
      txHashes: [],
      since: new Date(0),
      ...fields,
    });

  const tokens = (address: string, ...amounts: readonly bigint[]) =>
    sentInTurn(amounts.map((amount) => () => anvil.transfer(token, address, amount)));
  const coins = (address: string, ...amounts: readonly bigint[]) =>
    sentInTurn(amounts.map((value) => () => anvil.send({ to: address, value })));
  const throughContract = (address: string, value: bigint) =>
    anvil.send({ to: forwarder, data: callData('Forwarder', 'forward', [address]), value });

  const byTwo = (of: number | null): Case => ({
    isCoin: true,
    send: (to) => anvil.inOneBlock(() => [throughContract(to, 400n), throughContract(to, 600n)]),
    shown: [[ASKED, of, 'coin']],
  });

  it.each<[string, Case]>([
    ['one transfer', { send: (to) => tokens(to, 700n), shown: [[700n, 0]] }],
    ['nothing', { send: (to) => tokens(to, 0n), shown: [] }],
    ['dust', { send: (to) => tokens(to, DUST), shown: [] }],
    ['dust, then the amount', { send: (to) => tokens(to, 1n, DUST, ASKED), shown: [[ASKED, 2]] }],
    ['the amount, then dust', { send: (to) => tokens(to, ASKED, DUST), shown: [[ASKED, 0]] }],
    [
      'two parts',
      {
        send: (to) => tokens(to, 300n, 700n),
        shown: [
          [700n, 1],
          [300n, 0],
        ],
      },
    ],
    [
      'the amount among others',
      {
        send: (to) => tokens(to, 600n, 5_000n, 1_001n, 2_000n, 10n),
        shown: [
          [1_001n, 2],
          [5_000n, 1],
          [2_000n, 3],
          [600n, 0],
          [10n, 4],
        ],
      },
    ],
    [
      'more small deposits than are read',
      {
        send: (to) => tokens(to, ...Array<bigint>(25).fill(10n), ASKED),
        shown: [[ASKED, 25], ...Array.from({ length: 19 }, (_, at): Shown => [10n, at])],
      },
    ],
    [
      'another token that the provider lists, and one that it does not',
      {
        send: (to) =>
          sentInTurn([
            () => anvil.transfer(wrong, to, 500n),
            () => anvil.transfer(spam, to, 100_000n),
            () => anvil.transfer(wrong, to, 99n),
          ]),
        shown: [[500n, 0, 'wrong']],
      },
    ],
    ['the coin for a token', { send: (to) => coins(to, 100n, 99n), shown: [[100n, 0, 'coin']] }],
    [
      'a token for the coin',
      {
        isCoin: true,
        send: async (to) => [await anvil.transfer(wrong, to, 500n)],
        shown: [[500n, 0, 'wrong']],
      },
    ],
    [
      'coins',
      {
        isCoin: true,
        send: (to) => coins(to, 5n, 300n, DUST, ASKED),
        shown: [
          [300n, 1, 'coin'],
          [ASKED, 3, 'coin'],
        ],
      },
    ],
    [
      'the coin by a contract',
      { isCoin: true, send: async (to) => [await throughContract(to, ASKED)], shown: [[ASKED, 0, 'coin']] },
    ],
    [
      'the coin by a contract beside a plain transfer of one block',
      {
        isCoin: true,
        send: (to) =>
          anvil.inOneBlock(() => [
            anvil.send({ to, value: 200n }),
            throughContract(to, 800n),
            anvil.transfer(token, newAddress(), 1n),
          ]),
        shown: [
          [200n, 0, 'coin'],
          [800n, 1, 'coin'],
        ],
      },
    ],
    [
      'the coin by a contract that was not told the address',
      {
        isCoin: true,
        send: async (to) => {
          const contract = newAddress();
          // The contract passes on to the address all that it gets.
          await anvil.setCode(contract, `0x60006000600060003473${to.slice(2)}5af100`);
          return [await anvil.send({ to: contract, value: ASKED })];
        },
        shown: [[ASKED, 0, 'coin']],
      },
    ],
    ['the coin by two contracts of one block, so that no transaction is known', byTwo(null)],
    ['the coin by two contracts of one block, of which the payer named one', { ...byTwo(0), isNamed: true }],
  ])('finds of %s what is no dust, and where it came from', async (_, { isCoin, isNamed, send, shown }) => {
    const depositAddress = newAddress();
    const { at: since } = await anvil.head();
    const sent = await send(depositAddress);
    const other = (of: string | null) => ({ token: of, least: 100n });
    const txHashes = isNamed === true ? sent.slice(0, 1).map(({ txHash }) => txHash) : [];
    const asked = { depositAddress, since, txHashes, token: isCoin === true ? null : token };
    const others = isCoin === true ? [other(wrong)] : [other(wrong), other(null)];
    expect(await lookFor({ ...asked, others })).toEqual([]);
    await anvil.mine(UNTIL_FINAL);
    const found = await lookFor({ ...asked, others });
    const expected = shown.map(([amount, of, what]) => ({
      amount,
      txHash: of === null ? null : sent[of]?.txHash,
      blockNumber: sent[of ?? 0]?.blockNumber,
      blockHash: sent[of ?? 0]?.blockHash,
      token: what === undefined ? token : what === 'coin' ? null : wrong,
      at: expect.any(Date),
    }));
    const sorted = <T extends { readonly amount: bigint }>(all: readonly T[]): readonly T[] =>
      isCoin === true ? all.toSorted((one, two) => Number(one.amount - two.amount)) : all;
    expect(sorted(found)).toEqual(expected);
  });

  it('passes over what came before the payment, however much, by whichever way it is found', async () => {
    const depositAddress = newAddress();
    const old = await tokens(depositAddress, ...Array<bigint>(25).fill(5_000n));
    await anvil.mine(200);
    const { at: since } = await anvil.head();
    await anvil.mine(UNTIL_FINAL);
    const txHashes = old.map(({ txHash }) => txHash);
    expect(await lookFor({ depositAddress, since, txHashes })).toEqual([]);
    const [fresh] = await tokens(depositAddress, 30n);
    await anvil.mine(UNTIL_FINAL);
    for (const named of [[], txHashes])
      expect(await lookFor({ depositAddress, since, txHashes: named })).toMatchObject([
        { txHash: fresh?.txHash, amount: 30n },
      ]);
  });

  it('finds nothing where nothing was sent, to somebody else, or by the address itself', async () => {
    const { txHash } = await anvil.transfer(token, newAddress(), 70n);
    await anvil.mine(200);
    const { at: since } = await anvil.head();
    await anvil.transfer(token, anvil.sender, ASKED);
    await anvil.mine(UNTIL_FINAL);
    expect(await lookFor({ depositAddress: anvil.sender, since })).toEqual([]);
    expect(await lookFor({ txHashes: [txHash] })).toEqual([]);
    expect(await lookFor({ token: null })).toEqual([]);
    expect(await lookFor({ depositAddress: 'somewhere' })).toEqual([]);
  });

  describe('through an RPC', () => {
    let rpc: LyingRpc;
    beforeAll(async () => {
      rpc = await LyingRpc.before(anvil.url);
    });
    afterAll(() => rpc.close());

    it('without old balances finds a direct coin that the payer named, and what came since it keeps them', async () => {
      const depositAddress = newAddress();
      const { at: since } = await anvil.head();
      const [named] = await coins(depositAddress, 400n);
      const kept = (await anvil.head()).number;
      const [late] = await coins(depositAddress, 600n);
      await anvil.mine(UNTIL_FINAL);
      rpc.lie = {
        reply: ({ method, params }, reply) =>
          method === 'eth_getBalance' && Number(params[1]) < kept
            ? { error: { code: -32_000, message: 'missing trie node' } }
            : reply,
      };
      const look = { token: null, depositAddress, since };
      expect(await lookFor(look, witness(rpc.url))).toMatchObject([{ txHash: late?.txHash, amount: 600n }]);
      const txHashes = [named?.txHash ?? ''];
      expect(await lookFor({ ...look, txHashes }, witness(rpc.url))).toMatchObject([
        { amount: 600n },
        { amount: 400n },
      ]);
    });

    it('that shows less than the one beside it hides what it lacks, and no more', async () => {
      const depositAddress = newAddress();
      const { at: since } = await anvil.head();
      const [first] = await tokens(depositAddress, 300n, 700n);
      await anvil.mine(UNTIL_FINAL);
      rpc.lie = {
        reply: ({ method }, reply) =>
          method === 'eth_getLogs' ? { result: (reply.result as unknown[]).slice(0, 1) } : reply,
      };
      const both = await lookFor({ depositAddress, since }, witness(anvil.url, rpc.url));
      expect(both).toMatchObject([{ txHash: first?.txHash, amount: 300n }]);
    });

    it('that refuses the search for other tokens finds the right one all the same', async () => {
      const depositAddress = newAddress();
      const { at: since } = await anvil.head();
      await tokens(depositAddress, ASKED);
      await anvil.mine(UNTIL_FINAL);
      rpc.lie = {
        reply: ({ method, params: [filter] }, reply) =>
          method === 'eth_getLogs' && JSON.stringify(filter).includes(wrong)
            ? { error: { code: -32_005, message: 'query returned more than 10000 results' } }
            : reply,
      };
      const asked = witness(rpc.url);
      const look = { depositAddress, since, others: [{ token: wrong, least: 1n }] };
      expect(await lookFor(look, asked)).toMatchObject([{ amount: ASKED }]);
      rpc.forget();
      await lookFor({ ...look, others: [] }, asked);
      expect(rpc.asked.filter((method) => method === 'eth_getLogs')).toHaveLength(1);
    });
  });
});

async function sentInTurn(sends: readonly (() => Promise<Mined>)[]): Promise<Mined[]> {
  const sent: Mined[] = [];
  for (const send of sends) sent.push(await send());
  return sent;
}
