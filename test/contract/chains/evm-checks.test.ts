import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';

import type { EvmWitness } from '../../../src/chains/evm/evm-witness.ts';
import type { OutputAnswer, PromisedOutput } from '../../../src/domain/proof/output.ts';
import { Anvil, callData } from '../../support/chain/anvil.ts';
import { CONFIRMATIONS, newAddress, promised, witnessOf } from '../../support/chain/witness.ts';
import { describeWith } from '../../support/describe-with.ts';

/** Of a chain whose node names the block 64 below its head as final. */
const UNTIL_FINAL = 70;

const failedCheck = ({ checks }: OutputAnswer): string | undefined =>
  checks.find(({ passed }) => passed === false)?.name;

describeWith('anvil', 'a witness of an EVM chain', (path) => {
  let anvil: Anvil;
  let token: string;
  const witnesses: EvmWitness[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(false);
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

  it('takes addresses and hashes in any case, as providers write them', async () => {
    const recipient = newAddress();
    const { txHash } = await anvil.transfer(token, recipient, 1_000n);
    await anvil.mine(UNTIL_FINAL);
    const upper = (text: string): string => `0x${text.slice(2).toUpperCase()}`;
    const output = { token: upper(token), recipient: upper(recipient), txHashes: [upper(txHash)] };
    expect(await inspect(promised(output))).toMatchObject({ state: 'proven' });
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

  it('contradicts by a transaction that failed', async () => {
    const recipient = newAddress();
    const mined = await anvil.transfer(token, recipient, 10n ** 30n);
    expect(mined.succeeded).toBe(false);
    await anvil.mine(UNTIL_FINAL);
    const answer = await inspect(promised({ token, recipient, txHashes: [mined.txHash] }));
    expect(answer).toMatchObject({ state: 'contradicted', reason: 'output_reverted' });
    expect(failedCheck(answer)).toBe('receipt');
  });

  it('contradicts by a twin of the token, whose symbol is the same', async () => {
    const twin = await anvil.deploy('Token');
    const recipient = newAddress();
    const { txHash } = await anvil.transfer(twin, recipient, 5_000n);
    await anvil.mine(UNTIL_FINAL);
    const answer = await inspect(promised({ token, recipient, txHashes: [txHash] }));
    expect(answer).toMatchObject({
      state: 'contradicted',
      reason: 'other_token',
      transfer: { amount: 5_000n },
    });
    expect(failedCheck(answer)).toBe('token');
  });

  it('contradicts by a transaction that moves nothing, and by an event of an ERC-721', async () => {
    const recipient = newAddress();
    const empty = await anvil.send({ to: recipient, value: 1n });
    const collectible = await anvil.deploy('Collectible');
    const named = await anvil.transfer(collectible, recipient, 5_000n, 'Collectible');
    await anvil.mine(UNTIL_FINAL);
    for (const [contract, { txHash }] of [
      [token, empty],
      [collectible, named],
    ] as const) {
      const answer = await inspect(promised({ token: contract, recipient, txHashes: [txHash] }));
      expect(answer).toMatchObject({ state: 'contradicted', reason: 'output_missing', transfer: null });
      expect(failedCheck(answer)).toBe('token');
    }
  });

  it('contradicts by a transfer to another address', async () => {
    const { txHash } = await anvil.transfer(token, newAddress(), 1_000n);
    await anvil.mine(UNTIL_FINAL);
    const answer = await inspect(promised({ token, recipient: newAddress(), txHashes: [txHash] }));
    expect(answer).toMatchObject({ state: 'contradicted', reason: 'other_recipient' });
    expect(failedCheck(answer)).toBe('recipient');
  });

  it('contradicts by too little, what the token keeps of it included, and never adds two transfers', async () => {
    const fee = await anvil.deploy('FeeToken');
    const recipient = newAddress();
    const short = await anvil.transfer(token, recipient, 999n);
    const kept = await anvil.transfer(fee, recipient, 1_000n, 'FeeToken');
    const multi = await anvil.deploy('MultiSend');
    const split = await anvil.send({
      to: multi,
      data: callData('MultiSend', 'send', [token, [recipient, recipient], [600n, 600n]]),
    });
    await anvil.mine(UNTIL_FINAL);
    for (const [contract, { txHash }, amount] of [
      [token, short, 999n],
      [fee, kept, 900n],
      [token, split, 600n],
    ] as const) {
      const answer = await inspect(promised({ token: contract, recipient, txHashes: [txHash] }));
      expect(answer).toMatchObject({ state: 'contradicted', reason: 'amount_short', transfer: { amount } });
      expect(failedCheck(answer)).toBe('amount');
    }
    const enough = promised({ token: fee, recipient, leastAmount: 900n, txHashes: [kept.txHash] });
    expect(await inspect(enough)).toMatchObject({ state: 'proven', transfers: [{ amount: 900n }] });
  });

  it('takes a transfer of nothing for none, even where nothing was promised', async () => {
    const recipient = newAddress();
    const { txHash } = await anvil.transfer(token, recipient, 0n);
    await anvil.mine(UNTIL_FINAL);
    const answer = await inspect(promised({ token, recipient, leastAmount: 0n, txHashes: [txHash] }));
    expect(answer).toMatchObject({ state: 'contradicted', reason: 'amount_short' });
  });

  it('contradicts by a transaction that is older than the quote', async () => {
    const recipient = newAddress();
    const { txHash } = await anvil.transfer(token, recipient, 1_000n);
    const { at } = await anvil.head();
    await anvil.mine(UNTIL_FINAL);
    const late = promised({ token, recipient, txHashes: [txHash], since: new Date(at.getTime() + 61_000) });
    const answer = await inspect(late);
    expect(answer).toMatchObject({ state: 'contradicted', reason: 'output_missing' });
    expect(failedCheck(answer)).toBe('time');
    const skewed = { ...late, since: new Date(at.getTime() + 59_000) };
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
    // At least the 60 blocks of a second that are missing: the node's own clock runs on meanwhile.
    expect('askAgainMs' in proven ? proven.askAgainMs : null).toBeGreaterThanOrEqual(60_000);
    await anvil.mine(UNTIL_FINAL);
    expect(await inspect(output)).toMatchObject({
      state: 'proven',
      askAgainMs: null,
      transfers: [{ isFinal: true }],
    });
  });

  it.each([
    ['of a failed transaction', async () => anvil.transfer(token, newAddress(), 10n ** 30n)],
    ['of another recipient', async () => anvil.transfer(token, newAddress(), 1_000n)],
  ])('contradicts by a block %s only once it is final', async (_, send) => {
    const { txHash } = await send();
    const output = promised({ token, recipient: newAddress(), txHashes: [txHash] });
    await anvil.mine(CONFIRMATIONS);
    expect(await inspect(output)).toMatchObject({ state: 'inconclusive', reason: 'not_final' });
    await anvil.mine(UNTIL_FINAL);
    expect(await inspect(output)).toMatchObject({ state: 'contradicted' });
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
    expect(await inspect(named('a word'))).toMatchObject({ reason: 'unreadable_hash', askAgainMs: null });
    expect(await inspect({ ...named(right.txHash), recipient: 'somebody' })).toMatchObject({
      reason: 'unreadable_address',
      askAgainMs: null,
    });
  });
});
