import { rmSync } from 'node:fs';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { PaybellService } from '../../../tools/testkit/paybell-process.ts';
import { PrivatePostgres } from '../../../tools/testkit/private-postgres.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { LyingRpc } from '../../support/chain/lying-rpc.ts';
import { describeWith } from '../../support/describe-with.ts';
import type { Promised } from '../../support/chain-stage.ts';
import { ProofStage } from '../../support/proof-stage.ts';
import { wordOf } from '../../support/published-events.ts';
import { makeDataFolder } from '../../../tools/testkit/data-folder.ts';

const DATABASE = 'paybell';
const PAYMENTS = 4;
const MAKE_DUE = 'UPDATE payment_proof SET due_at = now() WHERE due_at > now()';

describeWith(['anvil', 'postgresql'], 'a PostgreSQL that stops while proofs are under way', (path) => {
  let folder: string;
  let stage: ProofStage;
  let rpc: LyingRpc;
  let server: PrivatePostgres;
  let app: PaybellService;

  beforeAll(async () => {
    folder = makeDataFolder();
    [stage, server] = await Promise.all([ProofStage.open(path), PrivatePostgres.create(folder)]);
    rpc = await LyingRpc.before(stage.anvil.url);
    await server.query(`CREATE DATABASE ${DATABASE}`);
    app = await stage.shop.startWarm(stage.env('require', { DATABASE_URL: server.url(DATABASE) }, rpc.url));
    await stage.shop.addShop(app);
  });
  afterAll(async () => {
    await app.stop();
    await rpc.close();
    await stage.close();
    server.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  const toldOf = ({ quoteId }: Promised): string[] => [
    ...new Map(stage.arrivalsOf(quoteId).map((event) => [event.id, wordOf(event)])).values(),
  ];

  it.each(['fast', 'immediate'] as const)(
    'by %s shutdown, and starts again, loses and doubles no completion, and lets none through',
    async (mode) => {
      const payments: Promised[] = [];
      for (let n = 0; n < PAYMENTS; n += 1) payments.push(await stage.quote(app));
      rpc.forget();
      let answer = (): void => undefined;
      rpc.lie = { after: new Promise((resolve) => (answer = resolve)) };
      for (const payment of payments) {
        const { txHash } = await stage.pay(payment);
        stage.say(payment, 'COMPLETED', txHash);
      }
      const withheld = async (): Promise<boolean> =>
        (await server.query(`SELECT 1 FROM payment_proof WHERE state = 'pending'`, DATABASE)).length ===
        PAYMENTS;
      await waitFor(async () => rpc.requests > 0 && (await withheld()));
      await server.stop(mode);
      // The chain proves the payments now, but the database stores nothing.
      answer();
      rpc.lie = {};
      await waitFor(async () => !(await app.fetch('/health/ready')).ok);
      expect(payments.flatMap(toldOf)).not.toContain('completed');
      await server.start();
      await waitFor(
        async () => {
          await server.query(MAKE_DUE, DATABASE);
          return payments.every((payment) => toldOf(payment).includes('completed'));
        },
        { timeoutMs: 40_000, everyMs: 500 },
      );
      for (const { quoteId } of payments) {
        const events = await stage.shop.eventsOf(app, quoteId);
        expect(events.map(wordOf)).toEqual(['created', 'executing', 'completed']);
        expect(events.map(({ data }) => data.sequence)).toEqual([1, 2, 3]);
        expect(events.at(-1)).toMatchObject({ data: { verification: { state: 'proven' } } });
      }
      for (const payment of payments) expect(toldOf(payment)).toEqual(['created', 'executing', 'completed']);
    },
    120_000,
  );
});
