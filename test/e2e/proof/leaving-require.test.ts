import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { asking, runCli } from '../../support/cli.ts';
import { LyingRpc } from '../../support/chain/lying-rpc.ts';
import { describeWith } from '../../support/describe-with.ts';
import type { Promised } from '../../support/chain-stage.ts';
import { ProofStage } from '../../support/proof-stage.ts';
import { wordOf } from '../../support/published-events.ts';
import { jsonOf } from '../../support/stage.ts';
import type { PaybellService } from '../../../tools/testkit/paybell-process.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

const EXECUTING = ['created', 'executing'];

describeWith('anvil', 'a switch from VERIFY=require', (path) => {
  let stage: ProofStage;
  let rpc: LyingRpc;
  beforeAll(async () => {
    stage = await ProofStage.open(path);
    rpc = await LyingRpc.before(stage.anvil.url);
  });
  afterAll(async () => {
    await rpc.close();
    await stage.close();
  });

  const start = (verify: 'off' | 'observe' | 'require') =>
    stage.shop.startWarm(stage.env(verify, {}, rpc.url));
  const act = async (
    app: PaybellService,
    { quoteId }: Promised,
    action: string,
    body: object,
    status = 200,
  ) => jsonOf(await app.fetch(`/api/payments/${quoteId}/${action}`, { method: 'POST', body }), status);
  const toldOf = async (app: PaybellService, { quoteId }: Promised): Promise<string[]> =>
    (await stage.shop.eventsOf(app, quoteId)).map(wordOf);
  const stored = async (app: PaybellService, { quoteId }: Promised) =>
    jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200);

  /** A payment of which the provider reports this paid amount; with `isHidden` the RPC has no receipt of it. */
  async function paid(app: PaybellService, amount: bigint, isHidden = false): Promise<Promised> {
    const payment = await stage.quote(app);
    const { txHash } = await stage.pay(payment, amount);
    if (isHidden)
      rpc.lie = { reply: ({ params }, reply) => (params[0] === txHash ? { result: null } : reply) };
    stage.say(payment, 'COMPLETED', txHash);
    return payment;
  }

  it.each(['observe', 'off'] as const)(
    'to %s, with kill -9 at it, completes what nothing contradicts, once; the rest waits for a proof or a person',
    async (verify) => {
      const before = await start('require');
      await stage.shop.addShop(before);
      const good = await paid(before, 25_000_000n, true);
      const short = await paid(before, 1n);
      const refunded = await paid(before, 2n);
      await stage.published(before, good, EXECUTING);
      for (const payment of [short, refunded])
        await stage.published(before, payment, [...EXECUTING, 'anomaly amount_short']);
      await act(before, refunded, 'resolve', { reason: 'refunded' });
      await before.kill9();
      await (await start(verify)).kill9();
      const app = await start(verify);
      await waitFor(() => /: \d+ complete .* 1 contradicted and [12] resolved /.test(app.lines.join('\n')));
      const [, , completed] = await stage.published(app, good, [...EXECUTING, 'completed']);
      expect(completed?.data).toMatchObject({ verification: { state: 'pending' } });

      // Each payment gets a new report, which is judged.
      for (const payment of [short, refunded]) stage.say(payment, 'COMPLETED', `0x${'5a'.repeat(32)}`);
      for (const [payment, told] of [
        [short, ['anomaly amount_short', 'updated']],
        [refunded, ['anomaly amount_short', 'updated', 'updated']],
      ] as const) {
        const events = await stage.published(app, payment, [...EXECUTING, ...told]);
        expect(JSON.stringify(events)).not.toContain('"COMPLETED"');
        expect(await stored(app, payment)).toMatchObject({
          status: 'EXECUTING',
          verification: { state: 'contradicted' },
          resolution: payment === refunded ? { reason: 'refunded' } : null,
        });
        const status = await app.fetch(`/api/status/${payment.quoteId}`);
        expect(await jsonOf(status, 200)).toMatchObject({ status: 'EXECUTING' });
      }

      if (verify === 'observe') {
        const { txHash } = await stage.pay(short);
        stage.say(short, 'COMPLETED', txHash);
      } else {
        const words = ['payments', 'release', short.quoteId, '--reason', 'seen in the wallet'];
        const { code, stdout } = await runCli(words, asking(app));
        expect([code, stdout]).toEqual([0, expect.stringContaining('COMPLETED')]);
      }
      await waitFor(async () => (await toldOf(app, short)).includes('completed'));
      const last = (await stage.shop.eventsOf(app, short.quoteId)).find(
        ({ type }) => type === 'payment.completed',
      );
      const reason = { reason: 'released', note: 'seen in the wallet' };
      expect(last?.data).toMatchObject(
        verify === 'observe'
          ? { verification: { state: 'proven' } }
          : { verification: { state: 'contradicted' }, resolution: reason },
      );
      for (const [payment, times] of [
        [good, 1],
        [short, 1],
        [refunded, 0],
      ] as const)
        expect((await toldOf(app, payment)).filter((word) => word === 'completed')).toHaveLength(times);
      expect(await act(app, short, 'release', { reason: 'twice' }, 409)).toMatchObject({
        code: 'not_withheld',
      });
      rpc.lie = {};
      await app.stop();
    },
  );
});
