import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ChainWitnesses } from '../../../src/chains/chain-witnesses.ts';
import {
  type OutputAnswer,
  outputKey,
  type PromisedOutput,
  type SeenTransfer,
} from '../../../src/domain/proof/output.ts';
import { Anvil, callData, type Mined } from '../../../tools/testkit/anvil.ts';
import { CONFIRMATIONS, newAddress, promised, witnessOf } from '../../support/chain/witness.ts';
import { describeWith } from '../../support/describe-with.ts';

/** The number of blocks for a chain whose node reports the block 64 below its head as final. */
const UNTIL_FINAL = 70;

describeWith('anvil', 'a witness of an EVM chain', (path) => {
  let anvil: Anvil;
  let token: string;
  const witnesses: ChainWitnesses[] = [];

  beforeAll(async () => {
    anvil = await Anvil.start(path);
    token = await anvil.deploy('Token');
    await anvil.mine(UNTIL_FINAL);
  });

  afterAll(async () => {
    await Promise.all(witnesses.map((witness) => witness.close()));
    await anvil.stop();
  });

  /** A witness that has cached nothing yet. */
  const witness = (): ChainWitnesses => {
    const made = witnessOf([anvil.url]);
    witnesses.push(made);
    return made;
  };
  const inspect = (output: PromisedOutput): Promise<OutputAnswer> => witness().inspectOutput(output);
  const provenBy = async (output: PromisedOutput): Promise<SeenTransfer> => {
    const answer = await inspect(output);
    if (answer.state !== 'proven') throw new Error(`not proven: ${JSON.stringify(answer.checks)}`);
    return answer.transfers[0];
  };

  describe('of the native coin', () => {
    it('proves by the value of a plain transaction', async () => {
      const recipient = newAddress();
      const { txHash } = await anvil.send({ to: recipient, value: 1_000n });
      await anvil.mine(UNTIL_FINAL);
      expect(await inspect(promised({ token: null, recipient, txHashes: [txHash] }))).toMatchObject({
        state: 'proven',
        transfers: [{ txHash, logIndex: null, amount: 1_000n, isFinal: true }],
      });
    });

    it('proves by what the block brought where a contract passes it on', async () => {
      const forwarder = await anvil.deploy('Forwarder');
      const recipient = newAddress();
      const data = callData('Forwarder', 'forward', [recipient]);
      const { txHash } = await anvil.send({ to: forwarder, data, value: 1_000n });
      await anvil.mine(UNTIL_FINAL);
      const output = promised({ token: null, recipient, txHashes: [txHash] });
      expect(await inspect(output)).toMatchObject({
        state: 'proven',
        transfers: [{ txHash, logIndex: null, amount: 1_000n }],
      });
      expect(await inspect({ ...output, leastAmount: 1_001n })).toMatchObject({
        state: 'inconclusive',
        reason: 'coin_through_contract',
      });
    });

    it('takes of a block only what contracts brought, and by a transaction that has to do with the recipient', async () => {
      const forwarder = await anvil.deploy('Forwarder');
      const [recipient, other] = [newAddress(), newAddress()];
      const forward = (to: string, value = 1_000n) =>
        anvil.send({ to: forwarder, data: callData('Forwarder', 'forward', [to]), value });
      // The first block brings the coin only by a plain transaction; the second block brings it to two wallets by contracts.
      const [plain, idle, named] = await anvil.inOneBlock(() => [
        anvil.send({ to: recipient, value: 1_000n }),
        anvil.transfer(token, newAddress(), 1n),
        anvil.transfer(token, recipient, 1n),
      ]);
      const [first, second, elsewhere] = await anvil.inOneBlock(() => [
        forward(recipient),
        forward(other),
        anvil.transfer(token, newAddress(), 1n),
      ]);
      // Both transactions name the recipient, and one of them has paid nothing.
      const [paid, pretended] = await anvil.inOneBlock(() => [
        forward(recipient),
        anvil.transfer(token, recipient, 1n),
      ]);
      await anvil.mine(UNTIL_FINAL);
      const said = async (mined: Mined | undefined, to = recipient): Promise<string> => {
        const txHashes = [mined?.txHash ?? ''];
        const answer = await inspect(promised({ token: null, recipient: to, txHashes }));
        return answer.state === 'inconclusive' ? answer.reason : answer.state;
      };
      const unclear = 'coin_through_contract';
      expect([await said(plain), await said(idle), await said(named)]).toEqual(['proven', unclear, unclear]);
      expect([await said(first), await said(second, other)]).toEqual(['proven', 'proven']);
      expect([await said(paid), await said(pretended)]).toEqual([unclear, unclear]);
      expect([await said(elsewhere), await said(second)]).toEqual([unclear, unclear]);
    });

    it('contradicts by a plain transaction of too little, of another recipient, or that failed', async () => {
      const recipient = newAddress();
      const short = await anvil.send({ to: recipient, value: 999n });
      const elsewhere = await anvil.send({ to: newAddress(), value: 1_000n });
      const failed = await anvil.send({ to: token, data: '0x12345678', value: 1_000n });
      expect(failed.succeeded).toBe(false);
      await anvil.mine(UNTIL_FINAL);
      for (const [{ txHash }, reason] of [
        [short, 'amount_short'],
        [elsewhere, 'other_recipient'],
        [failed, 'output_reverted'],
      ] as const)
        expect(await inspect(promised({ token: null, recipient, txHashes: [txHash] }))).toMatchObject({
          state: 'contradicted',
          reason,
        });
    });

    it('can say nothing of a coin without a hash', async () => {
      const recipient = newAddress();
      await anvil.send({ to: recipient, value: 1_000n });
      await anvil.mine(UNTIL_FINAL);
      expect(await inspect(promised({ token: null, recipient }))).toMatchObject({
        state: 'inconclusive',
        reason: 'coin_without_hash',
        askAgainMs: null,
      });
    });
  });

  describe('of a token', () => {
    it('contradicts by a transfer of too little, though another of its block is enough', async () => {
      const recipient = newAddress();
      const [short, enough] = await anvil.inOneBlock(() => [
        anvil.transfer(token, recipient, 999n),
        anvil.transfer(token, recipient, 1_000n),
      ]);
      expect(short?.blockHash).toBe(enough?.blockHash);
      await anvil.mine(UNTIL_FINAL);
      const output = promised({ token, recipient, txHashes: [short?.txHash ?? ''] });
      expect(await inspect(output)).toMatchObject({ state: 'contradicted', reason: 'amount_short' });
    });
  });

  describe('without a hash', () => {
    it('finds the transfers since the quote that are enough, the nearest amount first, and no older one', async () => {
      const recipient = newAddress();
      const old = await anvil.transfer(token, recipient, 1_000n);
      const { at } = await anvil.head();
      await anvil.mine(100);
      const large = await anvil.transfer(token, recipient, 3_000n);
      await anvil.transfer(token, recipient, 999n);
      const near = await anvil.transfer(token, recipient, 1_001n);
      await anvil.mine(UNTIL_FINAL);
      const since = new Date(at.getTime() + 90_000);
      const answer = await inspect(promised({ token, recipient, since }));
      expect(answer).toMatchObject({
        state: 'proven',
        transfers: [{ txHash: near.txHash }, { txHash: large.txHash }],
      });
      expect(JSON.stringify(answer, (_, value: unknown) => String(value))).not.toContain(old.txHash);
    });

    it('offers each unused transfer of a wallet, however many are older or used', async () => {
      const recipient = newAddress();
      const pay = (): Promise<Mined> => anvil.transfer(token, recipient, 1_000n);
      for (let n = 0; n < 12; n += 1) await pay();
      const { at } = await anvil.head();
      await anvil.mine(100);
      const mined: Mined[] = [];
      for (let n = 0; n < 12; n += 1) mined.push(await pay());
      await anvil.transfer(token, recipient, 3_001n);
      await anvil.mine(UNTIL_FINAL);
      const key = ({ txHash }: Mined): string => outputKey({ txHash, logIndex: 0 });
      const used = new Set(mined.slice(0, 7).map(key));
      const since = new Date(at.getTime() + 60_000);
      const answer = await inspect(promised({ token, recipient, since, used }));
      const offered = answer.state === 'proven' ? answer.transfers.map(({ txHash }) => txHash) : [];
      expect(offered).toEqual(mined.slice(7).map(({ txHash }) => txHash));
    });

    it('neither proves nor contradicts while there is none, and asks ever more rarely', async () => {
      const recipient = newAddress();
      const since = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
      const output = promised({ token, recipient, since: since(5) });
      expect(await inspect(output)).toMatchObject({ state: 'inconclusive', reason: 'no_transfer_found' });
      const waits = [];
      for (const minutes of [0, 5, 600]) {
        const answer = await inspect({ ...output, since: since(minutes) });
        waits.push('askAgainMs' in answer ? Math.round((answer.askAgainMs ?? 0) / 1_000) : 0);
      }
      expect(waits).toEqual([2, 30, 300]);
    });
  });

  describe('of a chain that is reorganized', () => {
    it('sees at finality that what it proved is no more, and waits for that', async () => {
      const recipient = newAddress();
      const snapshot = await anvil.call('evm_snapshot');
      const { txHash } = await anvil.transfer(token, recipient, 1_000n);
      await anvil.mine(CONFIRMATIONS);
      const output = promised({ token, recipient, txHashes: [txHash] });
      const proof = await provenBy(output);
      expect(proof.isFinal).toBe(false);
      await anvil.call('evm_revert', snapshot);
      await anvil.mine(CONFIRMATIONS);
      const again = { ...output, provenBy: proof };
      expect(await inspect(again)).toMatchObject({ state: 'inconclusive', reason: 'not_final' });
      await anvil.mine(UNTIL_FINAL);
      expect(await inspect(again)).toMatchObject({
        state: 'contradicted',
        reason: 'output_reorged',
        transfer: { txHash },
      });
      // Without an earlier proof, the node may simply not have the transaction yet.
      expect(await inspect(output)).toMatchObject({ state: 'inconclusive', reason: 'not_found' });
    });

    it('proves what was mined again, in its new block', async () => {
      const recipient = newAddress();
      const nonce = await anvil.call<string>('eth_getTransactionCount', anvil.sender, 'latest');
      const snapshot = await anvil.call('evm_snapshot');
      const first = await anvil.transfer(token, recipient, 1_000n);
      await anvil.mine(CONFIRMATIONS);
      const output = promised({ token, recipient, txHashes: [first.txHash] });
      const proof = await provenBy(output);
      await anvil.call('evm_revert', snapshot);
      expect(await anvil.call('eth_getTransactionCount', anvil.sender, 'latest')).toBe(nonce);
      await anvil.mine(3);
      const second = await anvil.transfer(token, recipient, 1_000n);
      expect(second.txHash).toBe(first.txHash);
      await anvil.mine(UNTIL_FINAL);
      expect(await inspect({ ...output, provenBy: proof })).toMatchObject({
        state: 'proven',
        askAgainMs: null,
        transfers: [{ blockHash: second.blockHash, blockNumber: first.blockNumber + 3, isFinal: true }],
      });
    });
  });
});
