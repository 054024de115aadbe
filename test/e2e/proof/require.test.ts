import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { Verification } from '../../../src/domain/proof/verification.ts';
import { type Lie, LyingRpc, type RpcRequest } from '../../support/chain/lying-rpc.ts';
import { describeWith } from '../../support/describe-with.ts';
import type { Promised } from '../../support/chain-stage.ts';
import { ProofStage } from '../../support/proof-stage.ts';
import { arrivalsAt } from '../../support/published-events.ts';
import type { PaybellService } from '../../../tools/testkit/paybell-process.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { jsonOf } from '../../support/stage.ts';

describeWith('anvil', 'with VERIFY=require', (path) => {
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

  const env = (more = {}) => stage.env('require', more, rpc.url);

  async function storedAs(quoteId: string, status: string): Promise<boolean> {
    return (await stage.shop.at([quoteId], status)).length === 1;
  }

  async function isWithheld(quoteId: string): Promise<void> {
    await waitFor(
      async () =>
        (
          await stage.shop.database.query(
            `SELECT 1 FROM payment_proof f JOIN payment p ON p.id = f.payment_id WHERE p.quote_id = $1`,
            [quoteId],
          )
        ).length === 1,
    );
  }

  async function completedOnce(app: PaybellService, payment: Promised): Promise<void> {
    await stage.soon(() => stage.toldOf(payment).includes('completed'));
    const events = await stage.shop.eventsOf(app, payment.quoteId);
    expect(events.filter(({ type }) => type === 'payment.completed')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      type: 'payment.completed',
      data: { verification: { state: 'proven' } },
    });
    expect(events.map(({ data }) => data.sequence)).toEqual(events.map((_event, index) => index + 1));
  }

  it('a completion is withheld until its proof: nothing that a shop reads says COMPLETED before', async () => {
    const app = await stage.shop.startWarm(env());
    await stage.shop.addShop(app);
    const payment = await stage.quote(app);
    rpc.lie = {
      reply: ({ method }, reply) => (method === 'eth_getTransactionReceipt' ? { result: null } : reply),
    };
    const { txHash } = await stage.pay(payment);
    stage.say(payment, 'COMPLETED', txHash);
    await isWithheld(payment.quoteId);
    await waitFor(() => stage.toldOf(payment).includes('executing'));
    const status = await app.fetch(`/api/status/${payment.quoteId}`);
    const stored = await app.fetch(`/api/payments/${payment.quoteId}`);
    const texts = [await status.text(), await stored.text(), JSON.stringify(arrivalsAt(stage.shop.shop))];
    for (const text of texts) expect(text).not.toContain('"COMPLETED"');
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({
      status: 'EXECUTING',
      execution: { outputTxHash: txHash },
      verification: { state: 'pending' },
    });
    expect(JSON.parse(texts[1] ?? '')).toMatchObject({
      status: 'EXECUTING',
      verification: { state: 'pending' },
    });
    await app.fetch('/api/payments', { method: 'POST', body: { quoteId: payment.quoteId, orderId: 'A-1' } });
    await waitFor(() => stage.toldOf(payment).includes('updated'));
    expect(JSON.stringify(arrivalsAt(stage.shop.shop))).not.toContain('"COMPLETED"');
    rpc.lie = {};
    await completedOnce(app, payment);
    expect(stage.toldOf(payment)).toEqual(['created', 'executing', 'updated', 'completed']);
    expect(await jsonOf(await app.fetch(`/api/status/${payment.quoteId}`), 200)).toMatchObject({
      status: 'COMPLETED',
      verification: { state: 'proven' },
    });
    await app.stop();
  });

  it('an RPC that is stuck, or hides a transaction, is named to the operator by a replica that asks none', async () => {
    const both = stage.env('require', {}, `${stage.anvil.url}|${rpc.url}`);
    const api = await stage.shop.startWarm({ ...both, ROLES: 'api' });
    const tracker = await stage.shop.startWarm({ ...both, ROLES: 'tracker,dispatcher' });
    const verificationOf = async (payment: Promised): Promise<Verification> =>
      (
        (await jsonOf(await api.fetch(`/api/payments/${payment.quoteId}`), 200)) as {
          verification: Verification;
        }
      ).verification;
    const completed = async (lie: Lie): Promise<Promised> => {
      const payment = await stage.quote(api);
      rpc.lie = lie;
      const { txHash } = await stage.pay(payment);
      stage.say(payment, 'COMPLETED', txHash);
      return payment;
    };
    const isTag = (request: RpcRequest): boolean =>
      ['latest', 'finalized'].includes(String(request.params[0]));
    const first = await completed({
      reply: (asked, it) =>
        isTag(asked) ? { result: { ...(it.result as object), timestamp: '0x60000000' } } : it,
    });
    await completedOnce(api, first);
    expect((await verificationOf(first)).sources).toEqual(['127.0.0.1']);
    await waitFor(
      async () => {
        const { items } = (await jsonOf(await api.fetch('/api/attention'), 200)) as {
          items: { code: string; detail: string }[];
        };
        return items.some(
          ({ code, detail }) => code === 'rpc_stuck' && /127\.0\.0\.1#2 is stuck at block/.test(detail),
        );
      },
      { timeoutMs: 40_000, everyMs: 500 },
    );
    const second = await completed({
      reply: ({ method }, it) => (method === 'eth_getTransactionReceipt' ? { result: null } : it),
    });
    const said = /^127\.0\.0\.1 shows it in block \d+; 127\.0\.0\.1#2 does not have the transaction\.$/;
    await stage.soon(async () => {
      const { checks } = await verificationOf(second);
      return checks.some(({ detail }) => said.test(detail));
    });
    expect((await verificationOf(second)).sources).toEqual(['127.0.0.1', '127.0.0.1#2']);
    expect(await (await tracker.fetch('/metrics')).text()).toMatch(
      /^paybell_chain_disagreements_total\{chain="8453",host="127\.0\.0\.1#2"\} [1-9]/m,
    );
    rpc.lie = {};
    await completedOnce(api, second);
    await Promise.all([api.stop(), tracker.stop()]);
  });

  it('what stays unproven stalls after the patience, and a later proof completes it', async () => {
    const app = await stage.shop.startWarm(env({ VERIFY_PATIENCE_SECONDS: '1' }));
    const payment = await stage.quote(app);
    await rpc.close();
    const { txHash } = await stage.pay(payment);
    stage.say(payment, 'COMPLETED', txHash);
    await stage.soon(() => stage.toldOf(payment).includes('stalled unverified'));
    expect(await storedAs(payment.quoteId, 'EXECUTING')).toBe(true);
    await rpc.open();
    await stage.soon(() => stage.toldOf(payment).includes('completed'));
    expect(stage.toldOf(payment)).toEqual(['created', 'executing', 'stalled unverified', 'completed']);
    await app.stop();
  });

  it.each(['within', 'after'] as const)(
    'kill -9 %s the look: completed once, by its proof',
    async (moment) => {
      const app = await stage.shop.startWarm(env());
      const payment = await stage.quote(app);
      if (moment !== 'after') rpc.lie = { isSilent: true };
      const { txHash } = await stage.pay(payment);
      rpc.forget();
      stage.say(payment, 'COMPLETED', txHash);
      await isWithheld(payment.quoteId);
      if (moment === 'within') await waitFor(() => rpc.requests > 0);
      if (moment === 'after') await stage.soon(() => storedAs(payment.quoteId, 'COMPLETED'));
      await app.kill9();
      await stage.lookNow();
      if (moment !== 'after') expect(await storedAs(payment.quoteId, 'COMPLETED')).toBe(false);
      rpc.lie = {};
      const restarted = await stage.shop.startWarm(env());
      await completedOnce(restarted, payment);
      await restarted.stop();
    },
  );

  it('two replicas, of which one is killed at random moments: each payment completes once', async () => {
    const [first, second] = [await stage.shop.startWarm(env()), await stage.shop.startWarm(env())];
    const payments: Promised[] = [];
    for (let n = 0; n < 8; n += 1) payments.push(await stage.quote(first));
    const hashes: string[] = [];
    for (const payment of payments)
      hashes.push((await stage.anvil.transfer(stage.token, payment.recipient, 25_000_000n)).txHash);
    await stage.finalize();
    payments.forEach((payment, index) => stage.say(payment, 'COMPLETED', hashes[index]));
    await waitFor(
      async () =>
        (
          await stage.shop.at(
            payments.map(({ quoteId }) => quoteId),
            'COMPLETED',
          )
        ).length > 0,
    );
    await first.kill9();
    await stage.lookNow();
    for (const payment of payments) await completedOnce(second, payment);
    await second.stop();
  });
});
