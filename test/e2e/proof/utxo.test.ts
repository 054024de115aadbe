import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { LITECOIN } from '../../../tools/utxo-stand-in/addresses.ts';
import { newRecipient } from '../../support/chain/utxo-recipients.ts';
import { FINAL, LEAST, UtxoScene } from '../../support/chain/utxo-scene.ts';
import { describeWith } from '../../support/describe-with.ts';
import type { SharedService } from '../../support/shared-process.ts';
import { type PromisedToScript, UtxoStage } from '../../support/utxo-stage.ts';

const HOUR = 3_600_000;
/** Blocks from which a payment is proven here. */
const CONFIRMED = 2;
const HONEST = 4;
const MODES = ['observe', 'require'] as const;

interface Lie {
  readonly what: string;
  /** The reason of the anomaly; null: no final block contradicts it, and it is never proven. */
  readonly reason: string | null;
  /** Returns the transaction that the provider names; null: none. */
  readonly act: (scene: UtxoScene, payment: PromisedToScript) => Promise<string | null>;
}

const half = LEAST / 2n;
const LIES: readonly Lie[] = [
  { what: 'a hash that is none of the chain', reason: null, act: async () => 'ab'.repeat(32) },
  {
    what: 'no hash, and a unit too little was paid',
    reason: null,
    act: (scene, { script }) => scene.pay(script, LEAST - 1n).then(() => null),
  },
  { what: 'another recipient', reason: 'other_recipient', act: (scene) => scene.pay(newRecipient().script) },
  {
    what: 'a unit less than the minimum',
    reason: 'amount_short',
    act: (scene, { script }) => scene.pay(script, LEAST - 1n),
  },
  {
    what: 'two outputs that only together are enough',
    reason: 'amount_short',
    act: (scene, { script }) =>
      scene.wallet.send([
        { script, value: half },
        { script, value: half },
      ]),
  },
];

describeWith('litecoind', 'payouts of a chain of outputs', (path) => {
  let scene: UtxoScene;
  /** Recipients that were paid before their quotes were made, one for each mode. */
  const old = MODES.map(() => newRecipient());
  let oldPayments: string[] = [];

  beforeAll(async () => {
    scene = await UtxoScene.open(path);
    await scene.node.at(new Date(Date.now() - 3 * HOUR));
    oldPayments = await Promise.all(old.map(({ script }) => scene.pay(script)));
    await scene.node.mine();
    await scene.node.at(null);
    await scene.node.mine();
  });
  afterAll(async () => {
    const strange = scene.recover();
    await scene.close();
    expect(strange).toEqual([]);
  });

  /** Waits until a look has kept what the payment's transaction spends. */
  const isSeen = (stage: UtxoStage, { quoteId }: PromisedToScript): Promise<void> =>
    stage.soon(async () => {
      const rows = await stage.shop.database.query(
        `SELECT 1 FROM payment_proof f JOIN payment p ON p.id = f.payment_id
          WHERE p.quote_id = $1 AND f.seen_inputs LIKE '%:%'`,
        [quoteId],
      );
      return rows.length === 1;
    });

  describe.each(MODES)('with VERIFY=%s', (verify) => {
    let stage: UtxoStage;
    let app: SharedService;
    const lies = new Map<string, PromisedToScript>();
    const honest: PromisedToScript[] = [];
    /** The events up to the proof, and before a contradiction. */
    const isRequired = verify === 'require';
    const PROVEN = isRequired ? ['created', 'executing', 'completed'] : ['created', 'completed', 'verified'];
    const CAUGHT = isRequired ? ['created', 'executing'] : ['created', 'completed'];

    const becomes = async (payment: PromisedToScript, words: readonly string[]): Promise<void> => {
      await stage.published(app, payment, words);
    };

    beforeAll(async () => {
      stage = await UtxoStage.open(scene);
      app = await stage.shop.startWarm(stage.env(verify));
      await stage.shop.addShop(app);
      const said: [PromisedToScript, string | null][] = [];
      for (const { what, act } of LIES) {
        const payment = await stage.quote(app);
        lies.set(what, payment);
        said.push([payment, await act(scene, payment)]);
      }
      const aged = await stage.quote(app, old[MODES.indexOf(verify)]);
      lies.set('older', aged);
      said.push([aged, oldPayments[MODES.indexOf(verify)] ?? null]);
      for (let n = 0; n < HONEST; n += 1) {
        const payment = await stage.quote(app);
        honest.push(payment);
        const txid = await scene.pay(payment.script);
        said.push([payment, [txid, `0x${txid.toUpperCase()}`, null][n % 3] ?? null]);
      }
      // A batch pays two payments of one recipient.
      const [one, two] = [await stage.quote(app), await stage.quote(app)];
      const twin = await stage.quote(app, { script: one.script, address: one.recipient });
      const value = LEAST;
      const batch = await scene.wallet.send([one, two, twin].map(({ script }) => ({ script, value })));
      for (const payment of [one, two, twin]) {
        honest.push(payment);
        said.push([payment, batch]);
      }
      await scene.node.mine(FINAL);
      for (const [payment, txid] of said) stage.say(payment, 'COMPLETED', txid);
    });
    afterAll(() => app.stop());

    it.each([...LIES, { what: 'older', reason: 'output_missing' }])(
      'is caught: $what',
      async ({ what, reason }) => {
        const payment = lies.get(what) as PromisedToScript;
        if (reason !== null) return becomes(payment, [...CAUGHT, `anomaly ${reason}`]);
        const asked = `/api/payments/${payment.quoteId}`;
        const checks = async () =>
          ((await (await app.fetch(asked)).json()) as { verification: { checks: unknown[] } | null })
            .verification?.checks;
        await stage.soon(async () => ((await checks()) ?? []).length > 0);
        expect(await stage.stateOf(app, payment)).toBe('pending');
        expect(stage.toldOf(payment)).toEqual(CAUGHT);
      },
    );

    it('proves those that tell the truth, each by an output of its own', async () => {
      const proofs: string[] = [];
      for (const payment of honest) {
        const events = await stage.published(app, payment, PROVEN);
        expect(events.at(-1)?.data).toMatchObject({
          verification: { state: 'proven', chainId: LITECOIN, sources: ['127.0.0.1', '127.0.0.1#2'] },
        });
        const { txHash, logIndex } = Object(events.at(-1)?.data)['verification'];
        proofs.push(`${txHash}:${logIndex}`);
      }
      expect(new Set(proofs).size).toBe(honest.length);
    });

    it('is caught: the output of another payment', async () => {
      const first = await stage.quote(app);
      const second = await stage.quote(app, { script: first.script, address: first.recipient });
      const txid = await scene.paid(first.script);
      stage.say(first, 'COMPLETED', txid);
      await becomes(first, PROVEN);
      stage.say(second, 'COMPLETED', txid);
      await becomes(second, [...CAUGHT, 'anomaly output_used_before']);
    });

    it('is caught: a transaction that is replaced, when its replacement is final', async () => {
      const payment = await stage.quote(app);
      const { txid, rival } = await scene.payWithRival(payment.script);
      stage.say(payment, 'COMPLETED', txid);
      await isSeen(stage, payment);
      await scene.wallet.broadcast(rival);
      await scene.node.mine(FINAL);
      await becomes(payment, [...CAUGHT, 'anomaly double_spent']);
    });

    it('proves a payment whose block is taken back before, by the block that it is in then', async () => {
      const payment = await stage.quote(app);
      const txid = await scene.pay(payment.script);
      await scene.node.mine(CONFIRMED - 1);
      stage.say(payment, 'COMPLETED', txid);
      await isSeen(stage, payment);
      await scene.takeBack(CONFIRMED - 1, 1);
      const [block] = await scene.node.mine(CONFIRMED);
      await becomes(payment, PROVEN);
      const { height } = await scene.node.call<{ height: number }>('getblockheader', block);
      const { data } = stage.arrivalsOf(payment.quoteId).at(-1) ?? {};
      expect(data).toMatchObject({ verification: { txHash: txid, logIndex: 0, block: height } });
    });

    it('is caught: a proof that is taken back, and whose coins are spent elsewhere', async () => {
      const payment = await stage.quote(app);
      const { txid, rival } = await scene.payWithRival(payment.script);
      await scene.node.mine(CONFIRMED);
      stage.say(payment, 'COMPLETED', txid);
      await becomes(payment, PROVEN);
      await scene.takeBack(CONFIRMED);
      await scene.wallet.broadcast(rival);
      await scene.node.mine(FINAL);
      await becomes(payment, [...PROVEN, 'anomaly double_spent']);
    });

    it('keeps a proof whose transaction another block has', async () => {
      const payment = await stage.quote(app);
      const txid = await scene.pay(payment.script);
      await scene.node.mine(CONFIRMED);
      stage.say(payment, 'COMPLETED', txid);
      await becomes(payment, PROVEN);
      await scene.takeBack(CONFIRMED, 1);
      const [block] = await scene.node.mine(FINAL);
      const { height } = await scene.node.call<{ height: number }>('getblockheader', block);
      await stage.soon(async () => {
        const answer = await app.fetch(`/api/payments/${payment.quoteId}`);
        const { verification } = (await answer.json()) as { verification: { block: number } };
        return verification.block === height;
      });
      await becomes(payment, PROVEN);
    });
  });

  describe('with a replica that is killed', () => {
    let stage: UtxoStage;
    const start = () => stage.shop.startWarm(stage.env('require'));
    beforeAll(async () => {
      stage = await UtxoStage.open(scene);
      const app = await start();
      await stage.shop.addShop(app);
      await app.stop();
    });

    it('catches a replaced transaction that only the killed replica saw', async () => {
      const app = await start();
      const payment = await stage.quote(app);
      const { txid, rival } = await scene.payWithRival(payment.script);
      stage.say(payment, 'COMPLETED', txid);
      await isSeen(stage, payment);
      await app.kill9();
      await stage.lookNow();
      await scene.wallet.broadcast(rival);
      await scene.node.mine(FINAL);
      const restarted = await start();
      await stage.published(restarted, payment, ['created', 'executing', 'anomaly double_spent']);
      await restarted.stop();
    });

    it('completes a payment once that was searched for at that moment', async () => {
      const app = await start();
      const payment = await stage.quote(app);
      await scene.paid(payment.script);
      const { esplora, blockbook } = scene.servers;
      const silent = (asked: string): boolean => /scripthash|\/address\//.test(asked);
      for (const server of [esplora, blockbook]) server.holds = silent;
      stage.say(payment, 'COMPLETED');
      await waitFor(() => [esplora, blockbook].some(({ asked }) => asked.some(silent)));
      await app.kill9();
      await stage.lookNow();
      expect(await stage.shop.at([payment.quoteId], 'COMPLETED')).toEqual([]);
      scene.recover();
      const restarted = await start();
      await stage.published(restarted, payment, ['created', 'executing', 'completed']);
      await restarted.stop();
    });

    it('catches a proof that is taken back while no replica runs', async () => {
      const app = await start();
      const payment = await stage.quote(app);
      const { txid, rival } = await scene.payWithRival(payment.script);
      await scene.node.mine(CONFIRMED);
      stage.say(payment, 'COMPLETED', txid);
      await stage.published(app, payment, ['created', 'executing', 'completed']);
      await app.kill9();
      await stage.lookNow();
      await scene.takeBack(CONFIRMED);
      await scene.wallet.broadcast(rival);
      await scene.node.mine(FINAL);
      const restarted = await start();
      await stage.published(restarted, payment, [
        'created',
        'executing',
        'completed',
        'anomaly double_spent',
      ]);
      await restarted.stop();
    });

    it('completes each payment once, beside another replica', async () => {
      const [first, second] = [await start(), await start()];
      const payments: PromisedToScript[] = [];
      for (let n = 0; n < 8; n += 1) payments.push(await stage.quote(first));
      const wallet = newRecipient();
      for (let n = 0; n < 4; n += 1) payments.push(await stage.quote(second, wallet));
      const txids: string[] = [];
      for (const { script } of payments) txids.push(await scene.pay(script));
      await scene.node.mine(FINAL);
      payments.forEach((payment, at) => stage.say(payment, 'COMPLETED', at < 8 ? txids[at] : null));
      const quoteIds = payments.map(({ quoteId }) => quoteId);
      await waitFor(async () => (await stage.shop.at(quoteIds, 'COMPLETED')).length > 0);
      await first.kill9();
      await stage.lookNow();
      for (const payment of payments)
        await stage.published(second, payment, ['created', 'executing', 'completed']);
      await second.stop();
    });
  });
});
