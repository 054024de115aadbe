import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { PostgresAttentionCounts } from '../../src/database/attention/attention.store.ts';
import { ProofSettings } from '../../src/features/proof/proof.settings.ts';
import { NO_OFFERS } from '../../src/ports/new-deliveries.ts';
import { NotWithheld } from '../../src/ports/withheld-payments.ts';
import { contradicted, inconclusive } from '../support/proof-answers.ts';
import { claimsOf, eventsOf, inspect, quoted, reported, ScriptedWitness } from '../support/proof-scene.ts';
import { CHAIN_ID, hashOf } from '../support/proof-texts.ts';
import { openReplicas } from '../support/replicas.ts';
import { storesOn, type Stores } from '../support/stores.ts';

const REQUIRE = { isRequired: true, chainIds: new Set([CHAIN_ID]) };
const BY_ANNA = { note: 'ticket 7', by: 'anna' };

/** The first replica, with VERIFY=off. */
let off: Stores;
let witness: ScriptedWitness;
let hashes = 7_000;

const { db, one, two } = await openReplicas({ proof: REQUIRE });
beforeAll(async () => {
  off = storesOn(one.source);
});
beforeEach(async () => {
  witness = new ScriptedWitness();
  await db.query('DELETE FROM payment');
});

async function withheld(isContradicted = false): Promise<string> {
  const quoteId = await quoted(one);
  await reported(one, quoteId, 'COMPLETED', { txHash: hashOf((hashes += 1)), isRequired: true });
  witness.say(isContradicted ? contradicted('amount_short') : inconclusive('rpc_away', 5_000));
  for (const claim of await claimsOf(one)) await inspect(one, claim, witness);
  return quoteId;
}

const release = ({ withheld: payments }: Stores, quoteId: string) =>
  payments.release(quoteId, BY_ANNA, NO_OFFERS);
const dueNow = async (): Promise<string[]> =>
  (await off.schedule.claimDue(100, 1_000))
    .filter(({ knownDigest }) => knownDigest === null)
    .map(({ quoteId }) => quoteId);

describe('leaving require', () => {
  it('has the provider asked about those that nothing contradicts, and counts the others', async () => {
    const [good, closed] = [await withheld(), await withheld()];
    await db.query(`DELETE FROM payment_schedule WHERE quote_id = $1`, [closed]);
    const [resolved, both] = [await withheld(), await withheld(true)];
    await withheld(true);
    for (const quoteId of [resolved, both])
      await one.payments.resolve(quoteId, { reason: 'refunded', note: null, by: 'anna' });
    await db.query(
      `UPDATE payment_schedule SET due_at = now() + interval '1 hour', unchanged_until = now() + interval '1 hour',
         polled_at = now() - interval '1 minute'`,
    );
    expect(await dueNow()).toEqual([]);
    const counts = { completing: 2, contradicted: 1, resolved: 2 };
    expect(await off.withheld.leaveRequire()).toEqual(counts);
    expect(new Set(await dueNow())).toEqual(new Set([good, closed]));
    // A kill of this replica here loses nothing.
    expect(await two.withheld.leaveRequire()).toEqual(counts);
    await reported(off, good, 'COMPLETED', { verify: 'off' });
    expect((await eventsOf(one, good)).at(-1)).toBe('completed COMPLETED pending');
    expect(await off.withheld.leaveRequire()).toEqual({ ...counts, completing: 1 });
  });

  it('keeps a contradiction through reports while VERIFY is off, and looks at the last of them once it is on', async () => {
    const quoteId = await withheld(true);
    for (const n of [1, 2]) {
      const txHash = hashOf((hashes += n));
      await reported(off, quoteId, 'COMPLETED', { txHash, verify: 'off' });
      expect((await off.payments.find(quoteId))?.verification?.state).toBe('contradicted');
    }
    expect((await eventsOf(one, quoteId)).at(-1)).toBe('updated EXECUTING contradicted');
    expect((await off.payments.find(quoteId))?.reportText).toContain('"EXECUTING"');
    witness.say();
    for (const claim of await claimsOf(one)) await inspect(one, claim, witness);
    expect((await eventsOf(one, quoteId)).at(-1)).toBe('completed COMPLETED proven');
  });
});

it.each(['VERIFY_FROM_USD', 'VERIFY_UNPROVABLE'])(
  'a payment that is contradicted is not completed by word where %s would have it so',
  async (setting) => {
    const quoteId = await withheld(true);
    await db.query('UPDATE payment_proof SET due_at = now()');
    const settings = new ProofSettings(
      setting === 'VERIFY_FROM_USD' ? '1000' : '0',
      100,
      60_000,
      true,
      60_000,
    );
    witness.sees = () => Promise.resolve(false);
    for (const claim of await claimsOf(one)) await inspect(one, claim, witness, settings);
    const { status, verification } = (await one.payments.find(quoteId)) ?? {};
    expect([status, verification?.state]).toEqual(['EXECUTING', 'contradicted']);
  },
);

describe('a release', () => {
  it.each([
    ['', ''],
    [' that is no longer polled', 'DELETE FROM payment_schedule WHERE quote_id = $1'],
  ])('of two at once completes the payment%s, which is polled on', async (_which, before) => {
    const quoteId = await withheld(true);
    if (before !== '') await db.query(before, [quoteId]);
    const label = { orderId: 'A-1', metadata: null };
    const all = [release(one, quoteId), release(two, quoteId), two.payments.label(quoteId, label)] as const;
    const [first, second] = await Promise.allSettled(all);
    expect([first.status, second.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    const told = await eventsOf(one, quoteId);
    expect(told.filter((event) => event === 'completed COMPLETED contradicted')).toHaveLength(1);
    const { status, tracking, nextPollAt, resolution } = (await one.payments.find(quoteId)) ?? {};
    expect([status, tracking, nextPollAt !== null]).toEqual(['COMPLETED', 'watching', true]);
    expect(resolution).toMatchObject({ reason: 'released', ...BY_ANNA });
    const { troubles } = await new PostgresAttentionCounts(one.database, one.rules).payments();
    expect(troubles.contradicted.count).toBe(0);
  });

  it('ends where the provider takes the completion back, and a person is needed again', async () => {
    const quoteId = await withheld(true);
    await release(one, quoteId);
    await reported(one, quoteId, 'COMPLETED');
    expect((await one.payments.find(quoteId))?.resolution).toMatchObject({ reason: 'released' });
    await reported(one, quoteId, 'FAILED');
    expect(await one.payments.find(quoteId)).toMatchObject({ status: 'COMPLETED', resolution: null });
    const { troubles } = await new PostgresAttentionCounts(one.database, one.rules).payments();
    expect(troubles.contradicted.count).toBe(1);
  });

  it.each(['AWAITING_DEPOSIT', 'EXECUTING', 'FAILED', 'COMPLETED'])(
    'is refused of one that is %s',
    async (word) => {
      const quoteId = await quoted(one);
      if (word !== 'AWAITING_DEPOSIT') await reported(one, quoteId, word);
      await expect(release(one, quoteId)).rejects.toThrow(NotWithheld);
    },
  );
});

describe('an inspection that a person asks for', () => {
  const ago = (seconds: number) =>
    db.query(
      `UPDATE payment_proof SET token = (extract(epoch FROM now() - $1 * interval '1 s') * 1000000)::bigint`,
      [seconds],
    );

  it.each([
    ['that waits', "due_at = now() + interval '1 hour'", 6, 1],
    ['that the witness has given up', "due_at = NULL, state = 'unverified'", 6, 1],
    ['that was inspected just now', "due_at = now() + interval '1 hour'", 1, 0],
    ['that is proven for good', "due_at = NULL, state = 'proven'", 6, 0],
  ])('of a payment %s', async (_which, set, seconds, due) => {
    const quoteId = await withheld();
    await db.query(`UPDATE payment_proof SET ${set}`);
    await ago(seconds);
    await one.proofs.inspectNow(quoteId);
    expect(await claimsOf(one)).toHaveLength(due);
  });

  it('of a payment under inspection waits for the result, however long that takes', async () => {
    const quoteId = await withheld();
    await db.query('UPDATE payment_proof SET due_at = now()');
    expect(await claimsOf(one)).toHaveLength(1);
    await ago(6);
    await one.proofs.inspectNow(quoteId);
    expect(await claimsOf(two)).toEqual([]);
  });
});
