import { base58, hex } from '@scure/base';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { ChainWitnesses } from '../../../src/chains/chain-witnesses.ts';
import type { OutputAnswer, PromisedOutput } from '../../../src/domain/proof/output.ts';
import { Anvil, callData } from '../../../tools/testkit/anvil.ts';
import { LyingRpc } from '../../support/chain/lying-rpc.ts';
import { CONFIRMATIONS, newAddress, promised, witnessOf } from '../../support/chain/witness.ts';
import { describeWith } from '../../support/describe-with.ts';

/** The number of blocks for a chain whose node reports the block 64 below its head as final. */
const UNTIL_FINAL = 70;

/** The code of a contract that answers every call with this number. */
const returning = (decimals: number): string =>
  `0x61${decimals.toString(16).padStart(4, '0')}60005260206000f3`;

const failedCheck = ({ checks }: OutputAnswer): string | undefined =>
  checks.find(({ passed }) => passed === false)?.name;

describeWith('anvil', 'a witness of an EVM chain', (path) => {
  let anvil: Anvil;
  let token: string;
  const witnesses: ChainWitnesses[] = [];

  beforeAll(async () => {
    anvil = await Anvil.start(path);
    token = await anvil.deploy('Token');
  });

  afterAll(async () => {
    await Promise.all(witnesses.map((witness) => witness.close()));
    await anvil.stop();
  });

  const inspect = async (output: PromisedOutput): Promise<OutputAnswer> => {
    const witness = witnessOf([anvil.url]);
    witnesses.push(witness);
    return witness.inspectOutput(output);
  };

  it('proves an exact transfer, and says what it has seen', async () => {
    const recipient = newAddress();
    const mined = await anvil.transfer(token, recipient, 1_000n);
    await anvil.mine(UNTIL_FINAL);
    const answer = await inspect(promised({ token, recipient, txHashes: [mined.txHash] }));
    expect(answer).toMatchObject({
      state: 'proven',
      askAgainMs: null,
      sources: ['127.0.0.1'],
      transfers: [
        {
          txHash: mined.txHash,
          logIndex: 0,
          blockNumber: mined.blockNumber,
          blockHash: mined.blockHash,
          amount: 1_000n,
          confirmations: UNTIL_FINAL + 1,
          isFinal: true,
        },
      ],
    });
    expect(answer.checks.map(({ name, passed }) => [name, passed])).toEqual([
      ['chain_id', true],
      ['receipt', true],
      ['token', true],
      ['recipient', true],
      ['amount', true],
      ['unused', null],
      ['time', true],
      ['confirmations', true],
    ]);
  });

  it('takes addresses in any case, and hashes in each form that providers write', async () => {
    const recipient = newAddress();
    const { txHash } = await anvil.transfer(token, recipient, 1_000n);
    await anvil.mine(UNTIL_FINAL);
    const upper = (text: string): string => `0x${text.slice(2).toUpperCase()}`;
    const digits = txHash.slice(2);
    const written = [upper(txHash), digits, digits.toUpperCase(), base58.encode(hex.decode(digits))];
    for (const named of written) {
      const output = promised({ token: upper(token), recipient: upper(recipient), txHashes: [named] });
      const answer = await inspect(output);
      expect(answer).toMatchObject({ state: 'proven', transfers: [{ txHash }] });
      // The transaction itself is the proof, not a search's result.
      expect(answer).not.toHaveProperty('isSearched');
    }
  });

  it('searches for another transfer once no RPC has had the named transaction for ten minutes, and says so', async () => {
    const recipient = newAddress();
    const { txHash } = await anvil.transfer(token, recipient, 1_000n);
    await anvil.mine(UNTIL_FINAL);
    const unknown = `0x${'12'.repeat(32)}`;
    const output = promised({ token, recipient, txHashes: [unknown] });
    expect(await inspect({ ...output, namedForMs: 599_999 })).toMatchObject({ reason: 'not_found' });
    const found = await inspect({ ...output, namedForMs: 600_000 });
    expect(found).toMatchObject({ state: 'proven', isSearched: true, transfers: [{ txHash }] });
    expect(found.checks.find(({ name }) => name === 'receipt')?.detail).toContain(unknown);
    const provenBy = found.state === 'proven' ? found.transfers[0] : null;
    expect(await inspect({ ...output, provenBy })).toMatchObject({ state: 'proven', isSearched: true });
    const nothing = { ...output, recipient: newAddress(), namedForMs: 600_000 };
    expect(await inspect(nothing)).toMatchObject({ reason: 'not_found' });
  });

  it.each<[what: string, code: string | null, decimals: number | null]>([
    ['what its contract answers', returning(6), 6],
    ['0 where its contract answers 0', returning(0), 0],
    ['unknown where its contract answers more than any token has', returning(256), null],
    ['unknown where its contract has no such method', '0x60006000fd', null],
    ['unknown where the address is a wallet', null, null],
  ])('has of a token as fraction digits %s', async (_what, code, decimals) => {
    const of = newAddress();
    if (code !== null) await anvil.setCode(of, code);
    const witness = witnessOf([anvil.url]);
    witnesses.push(witness);
    expect(await witness.readDecimals(8453, of)).toBe(decimals);
    expect(await witness.readDecimals(1, of)).toBeNull();
  });

  it('has no fraction digits where two RPCs do not agree, or by one of another chain', async () => {
    const of = newAddress();
    await anvil.setCode(of, returning(6));
    const lying = await LyingRpc.before(anvil.url);
    const reads = async (urls: readonly string[], chainId?: number): Promise<number | null> => {
      const witness = witnessOf(urls, chainId === undefined ? {} : { chainId });
      witnesses.push(witness);
      return witness.readDecimals(chainId ?? 8453, of);
    };
    expect(await reads([anvil.url, lying.url])).toBe(6);
    lying.lie = {
      reply: ({ method }, reply) =>
        method === 'eth_call' ? { result: `0x${'12'.padStart(64, '0')}` } : reply,
    };
    expect(await reads([anvil.url, lying.url])).toBeNull();
    await expect(reads([anvil.url], 10)).rejects.toThrow('no RPC of chain 10 answers');
    await lying.close();
  });

  it('proves nothing by an RPC of another chain', async () => {
    const recipient = newAddress();
    const { txHash } = await anvil.transfer(token, recipient, 1_000n);
    const witness = witnessOf([anvil.url], { chainId: 10 });
    witnesses.push(witness);
    const answer = await witness.inspectOutput(
      promised({ chainId: 10, token, recipient, txHashes: [txHash] }),
    );
    expect(answer).toMatchObject({ state: 'inconclusive', reason: 'wrong_chain' });
    expect(failedCheck(answer)).toBe('chain_id');
  });

  type Sending = (recipient: string) => Promise<{ txHash: string; of?: string }>;
  it.each<[what: string, send: Sending, reason: string, check: string, amount: bigint | null]>([
    ['failed', (to) => anvil.transfer(token, to, 10n ** 30n), 'output_reverted', 'receipt', null],
    [
      'moves a twin of the token, whose symbol is the same',
      async (to) => anvil.transfer(await anvil.deploy('Token'), to, 5_000n),
      'other_token',
      'token',
      5_000n,
    ],
    [
      'has an event of an ERC-721',
      async (to) => {
        const of = await anvil.deploy('Collectible');
        return { ...(await anvil.transfer(of, to, 5_000n, 'Collectible')), of };
      },
      'output_missing',
      'token',
      null,
    ],
    [
      'pays what the token keeps a part of',
      async (to) => {
        const of = await anvil.deploy('FeeToken');
        const sent = await anvil.transfer(of, to, 1_000n, 'FeeToken');
        await anvil.mine(UNTIL_FINAL);
        const enough = promised({ token: of, recipient: to, leastAmount: 900n, txHashes: [sent.txHash] });
        expect(await inspect(enough)).toMatchObject({ state: 'proven', transfers: [{ amount: 900n }] });
        return { ...sent, of };
      },
      'amount_short',
      'amount',
      900n,
    ],
  ])('contradicts by a transaction that %s', async (_what, send, reason, check, amount) => {
    const recipient = newAddress();
    const { txHash, of = token } = await send(recipient);
    await anvil.mine(UNTIL_FINAL);
    const answer = await inspect(promised({ token: of, recipient, txHashes: [txHash] }));
    expect(answer).toMatchObject({ state: 'contradicted', reason });
    expect(failedCheck(answer)).toBe(check);
    expect(answer).toMatchObject({ transfer: amount === null ? null : { amount } });
  });

  it('contradicts by a transaction that is older than the quote', async () => {
    const recipient = newAddress();
    const { txHash } = await anvil.transfer(token, recipient, 1_000n);
    const { at } = await anvil.head();
    await anvil.mine(UNTIL_FINAL);
    const late = promised({ token, recipient, txHashes: [txHash], since: new Date(at.getTime() + 16_000) });
    const answer = await inspect(late);
    expect(answer).toMatchObject({ state: 'contradicted', reason: 'output_missing' });
    expect(failedCheck(answer)).toBe('time');
    const skewed = { ...late, since: new Date(at.getTime() + 15_000) };
    expect(await inspect(skewed)).toMatchObject({ state: 'proven' });
  });

  it('waits for the confirmations, and then for the final block', async () => {
    const recipient = newAddress();
    const { txHash } = await anvil.transfer(token, recipient, 1_000n);
    const output = promised({ token, recipient, txHashes: [txHash] });
    await anvil.mine(CONFIRMATIONS - 2);
    const early = await inspect(output);
    expect(early).toMatchObject({ state: 'inconclusive', reason: 'not_confirmed', askAgainMs: 2_000 });
    expect(failedCheck(early)).toBe('confirmations');
    await anvil.mine(1);
    const deep = { confirmations: CONFIRMATIONS, isFinal: false };
    const proven = await inspect(output);
    expect(proven).toMatchObject({ state: 'proven', transfers: [deep] });
    // The 60 missing blocks take at least this time, one second each; the node's own clock runs on meanwhile.
    expect('askAgainMs' in proven ? proven.askAgainMs : null).toBeGreaterThanOrEqual(60_000);
    await anvil.mine(UNTIL_FINAL);
    expect(await inspect(output)).toMatchObject({
      state: 'proven',
      askAgainMs: null,
      transfers: [{ isFinal: true }],
    });
  });

  it('finds each of 20 payouts in one transaction, the nearest amount first', async () => {
    const multi = await anvil.deploy('MultiSend');
    const all = Array.from({ length: 19 }, newAddress);
    const recipient = newAddress();
    const to = [recipient, ...all.slice(1), recipient];
    const values = to.map((_, at) => 2_000n - BigInt(at));
    const { txHash } = await anvil.send({
      to: multi,
      data: callData('MultiSend', 'send', [token, to, values]),
    });
    await anvil.mine(UNTIL_FINAL);
    for (const [at, one] of to.entries()) {
      if (one === recipient) continue;
      const answer = await inspect(promised({ token, recipient: one, txHashes: [txHash] }));
      expect(answer).toMatchObject({ state: 'proven', transfers: [{ logIndex: at, amount: values[at] }] });
    }
    const twice = await inspect(promised({ token, recipient, txHashes: [txHash] }));
    expect(twice).toMatchObject({
      transfers: [
        { logIndex: 19, amount: 1_981n },
        { logIndex: 0, amount: 2_000n },
      ],
    });
  });

  it('takes one of several transactions that a provider names, and contradicts by none while one is open', async () => {
    const recipient = newAddress();
    const other = await anvil.transfer(token, newAddress(), 1_000n);
    const right = await anvil.transfer(token, recipient, 1_000n);
    await anvil.mine(UNTIL_FINAL);
    const unknown = `0x${'12'.repeat(32)}`;
    const named = (...txHashes: string[]): PromisedOutput => promised({ token, recipient, txHashes });
    expect(await inspect(named(other.txHash, right.txHash))).toMatchObject({ state: 'proven' });
    expect(await inspect(named(other.txHash, unknown))).toMatchObject({ reason: 'not_found' });
    expect(await inspect({ ...named('a word'), recipient: newAddress() })).toMatchObject({
      reason: 'unreadable_hash',
    });
    expect(await inspect({ ...named(right.txHash), recipient: 'somebody' })).toMatchObject({
      reason: 'unreadable_address',
      askAgainMs: null,
    });
  });
});
