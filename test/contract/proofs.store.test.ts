import { beforeEach, describe, expect, it } from '@jest/globals';

import { VERIFICATION_STATES } from '../../src/domain/proof/verification.ts';
import { checksOf } from '../../src/domain/proof/output-checks.ts';
import { PostgresAttentionCounts } from '../../src/database/attention/attention.store.ts';
import { type OutputAnswer, outputKey } from '../../src/domain/proof/output.ts';
import { untilLocked, whileHeld } from '../support/held-rows.ts';
import { contradicted, inconclusive, proven, transferOf } from '../support/proof-answers.ts';
import { closed } from '../support/poll-results.ts';
import { claimsOf, eventsOf, inspect, quoted, reported, ScriptedWitness } from '../support/proof-scene.ts';
import { CHAIN_ID, hashOf } from '../support/proof-texts.ts';
import { openReplicas } from '../support/replicas.ts';
import type { Stores } from '../support/stores.ts';

const OBSERVE = { isRequired: false, chainIds: new Set([CHAIN_ID, 10]) };

let witness: ScriptedWitness;
let hashes = 0;

const { db, one, two } = await openReplicas({ proof: OBSERVE });
beforeEach(async () => {
  witness = new ScriptedWitness();
  await db.query('DELETE FROM payment_proof');
});

/** A completed payment whose provider names this transaction, or one of its own. */
async function completed(
  txHash: string | null = hashOf((hashes += 1) + 1_000),
  more: object = {},
): Promise<string> {
  const quoteId = await quoted(one, {}, more);
  await reported(one, quoteId, 'COMPLETED', { txHash });
  return quoteId;
}

async function lookAll(stores = one): Promise<void> {
  for (const claim of await claimsOf(stores)) await inspect(stores, claim, witness);
}

async function makeDue(): Promise<void> {
  await db.query('UPDATE payment_proof SET due_at = now() WHERE due_at IS NOT NULL');
}

async function stateOf(quoteId: string): Promise<string | undefined> {
  return (await one.payments.find(quoteId))?.verification?.state;
}

describe('payments to prove', () => {
  it('are verified once, with what the chain shows', async () => {
    const quoteId = await completed();
    expect(await stateOf(quoteId)).toBe('pending');
    await lookAll();
    expect(await eventsOf(one, quoteId)).toEqual([
      'created AWAITING_DEPOSIT',
      'completed COMPLETED pending',
      'verified COMPLETED proven',
    ]);
    expect((await one.payments.find(quoteId))?.verification).toMatchObject({
      state: 'proven',
      chainId: CHAIN_ID,
      logIndex: 0,
      block: 100,
      sources: ['rpc.example'],
    });
    await makeDue();
    expect(await claimsOf(one)).toEqual([]);
  });

  it('are claimed by one replica at a time, and an inspection that comes too late writes nothing', async () => {
    const quoteId = await completed();
    const [first] = await claimsOf(one);
    expect(await claimsOf(two)).toEqual([]);
    await makeDue();
    const [second] = await claimsOf(two);
    if (first === undefined || second === undefined) throw new Error('not claimed');
    expect(await inspect(one, first, witness)).toBe(false);
    expect(await stateOf(quoteId)).toBe('pending');
    expect(await inspect(two, second, witness)).toBe(true);
    expect(await eventsOf(one, quoteId)).toHaveLength(3);
  });

  it('are not lost with the process that had claimed them', async () => {
    const quoteId = await completed();
    await one.proofs.claimDue(100, 0);
    await lookAll(two);
    expect(await stateOf(quoteId)).toBe('proven');
  });

  it('are held longer by the process that has claimed them, and by no other one', async () => {
    await completed();
    const [lost] = await one.proofs.claimDue(100, 0);
    const [held] = await two.proofs.claimDue(100, 0);
    if (lost === undefined || held === undefined) throw new Error('not claimed');
    await two.proofs.extendLease(held, 60_000);
    await one.proofs.extendLease(lost, 0);
    expect(await claimsOf(one)).toEqual([]);
  });

  it('stand beside a label that is set at the same time', async () => {
    const quoteId = await completed();
    const [claim] = await claimsOf(one);
    if (claim === undefined) throw new Error('not claimed');
    await Promise.all([
      inspect(one, claim, witness),
      two.payments.label(quoteId, { orderId: 'A-1', metadata: null }),
    ]);
    const events = await eventsOf(one, quoteId);
    expect(events.toSorted()).toEqual([
      'completed COMPLETED pending',
      'created AWAITING_DEPOSIT',
      'updated COMPLETED',
      'verified COMPLETED proven',
    ]);
  });

  it('become unverified after the patience, without an event, and proven later', async () => {
    const quoteId = await completed();
    witness.say(inconclusive('unavailable', 5_000));
    await lookAll();
    expect(await stateOf(quoteId)).toBe('pending');
    await db.query(`UPDATE payment_proof SET began_at = now() - interval '31 minutes', due_at = now()`);
    await lookAll();
    expect(await stateOf(quoteId)).toBe('unverified');
    expect(await eventsOf(one, quoteId)).toHaveLength(2);
    witness.say();
    await makeDue();
    await lookAll();
    expect((await eventsOf(one, quoteId)).at(-1)).toBe('verified COMPLETED proven');
  });

  it('keep what their transaction spends, for every replica, until another one spends it', async () => {
    const quoteId = await completed(hashOf(56));
    const of = (digit: number) => ({ txHash: hashOf(digit), spends: [`${hashOf(digit + 1)}:0`] });
    const look = async (stores: Stores, answer: OutputAnswer) => {
      await makeDue();
      witness.say(answer);
      await lookAll(stores);
      return witness.asked.at(-1)?.seenInputs;
    };
    const waiting = inconclusive('not_in_block', 1_000);
    expect(await look(one, { ...waiting, seenInputs: [of(56)] })).toEqual([]);
    expect(await look(two, { ...waiting, seenInputs: [of(57)] })).toEqual([of(56)]);
    expect(await look(one, inconclusive('not_found', 1_000))).toEqual([of(56), of(57)]);
    const young = transferOf(hashOf(56), { isFinal: false });
    expect(await look(two, { ...proven(young), seenInputs: [of(56)] })).toEqual([of(56), of(57)]);
    expect(await look(one, contradicted('double_spent', young))).toEqual([of(57), of(56)]);
    expect((await eventsOf(one, quoteId)).slice(2)).toEqual([
      'verified COMPLETED proven',
      'anomaly COMPLETED double_spent contradicted',
    ]);
    const [kept] = await db.query('SELECT seen_inputs FROM payment_proof');
    expect(kept).toEqual({ seen_inputs: null });
  });

  it('are inspected again until their block is final, and tell of a reorganisation', async () => {
    const quoteId = await completed(hashOf(55));
    witness.say(proven(transferOf(hashOf(55), { isFinal: false })));
    await lookAll();
    await makeDue();
    witness.say(contradicted('output_missing'));
    await lookAll();
    expect(witness.asked.at(-1)?.provenBy).toMatchObject({ txHash: hashOf(55), amount: 25_000_000n });
    expect(await eventsOf(one, quoteId)).toEqual([
      'created AWAITING_DEPOSIT',
      'completed COMPLETED pending',
      'verified COMPLETED proven',
      'anomaly COMPLETED output_reorged contradicted',
    ]);
    expect(await db.query('SELECT 1 FROM proven_output WHERE tx_hash = $1', [hashOf(55)])).toEqual([]);
  });

  it('go with their payment', async () => {
    const quoteId = await completed();
    await lookAll();
    await closed(one, quoteId);
    await db.query(`UPDATE payment SET updated_at = now() - interval '100 days' WHERE quote_id = $1`, [
      quoteId,
    ]);
    await one.retention.removeClosedBefore(new Date(Date.now() - 86_400_000), 10);
    expect(await one.payments.read(quoteId)).toBe('removed');
    expect(await db.query('SELECT 1 FROM payment_proof')).toEqual([]);
  });
});

describe('a transfer', () => {
  it('proves one payment: of two that name it, the other is contradicted', async () => {
    const [first, second] = [await completed(hashOf(11)), await completed(hashOf(11))];
    await lookAll();
    expect(new Set([await stateOf(first), await stateOf(second)])).toEqual(
      new Set(['contradicted', 'proven']),
    );
    const contradicted = (await stateOf(first)) === 'contradicted' ? first : second;
    expect((await eventsOf(one, contradicted)).at(-1)).toBe(
      'anomaly COMPLETED output_used_before contradicted',
    );
  });

  it('is taken once, by whichever of two replicas is first', async () => {
    const quoteIds = await Promise.all(Array.from({ length: 6 }, () => completed(hashOf(12))));
    const claims = await claimsOf(one);
    await Promise.all(claims.map((claim, index) => inspect(index % 2 === 0 ? one : two, claim, witness)));
    const states = await Promise.all(quoteIds.map(stateOf));
    expect(states.filter((state) => state === 'proven')).toHaveLength(1);
    expect(states.filter((state) => state === 'contradicted')).toHaveLength(5);
  });

  it('of one transaction proves as many payments as the transaction has logs', async () => {
    const txHash = hashOf(13);
    witness.say(proven(transferOf(txHash, { logIndex: 1 }), transferOf(txHash, { logIndex: 4 })));
    const quoteIds = [await completed(txHash), await completed(txHash), await completed(txHash)];
    await lookAll();
    const states = await Promise.all(quoteIds.map(stateOf));
    expect(states.filter((state) => state === 'proven')).toHaveLength(2);
    expect(states).toContain('contradicted');
  });

  it('of a coin that contracts brought in a block proves as many payments as it is enough for', async () => {
    const coin = { logIndex: null, byBalance: true, blockHash: hashOf(9_001) } as const;
    const brought = (n: number, income: bigint) => proven(transferOf(hashOf(n), { ...coin, income }));
    const promise = 24_900_000n;
    const quoteIds = [await completed(hashOf(15)), await completed(hashOf(16)), await completed(hashOf(15))];
    const income = 2n * promise;
    witness.say(brought(15, income), brought(16, income), brought(15, income));
    await lookAll();
    const states = await Promise.all(quoteIds.map(stateOf));
    expect(states.filter((state) => state === 'proven')).toHaveLength(2);
    expect(states).toContain('pending');
    // Each recipient's income in the same block is separate.
    const other = await completed(hashOf(17), { recipient: `0x${'77'.repeat(20)}` });
    witness.say(brought(17, promise));
    await lookAll();
    expect(await stateOf(other)).toBe('proven');
  });

  it('is the same one where its transaction is mined again, in another block and with another index of its log', async () => {
    const txHash = hashOf(21);
    const of = { recipient: `0x${'79'.repeat(20)}` };
    const first = await completed(null, of);
    witness.say(proven(transferOf(txHash, { logIndex: 4, ordinal: 0 })));
    await lookAll();
    const second = await completed(null, of);
    witness.say(proven(transferOf(txHash, { logIndex: 7, ordinal: 0, blockHash: hashOf(9_100) })));
    await lookAll();
    expect([await stateOf(first), await stateOf(second)]).toEqual(['proven', 'pending']);
    expect(
      (await one.payments.find(second))?.verification?.checks.find(({ name }) => name === 'unused'),
    ).toEqual({
      name: 'unused',
      passed: false,
      detail: `It proves the payment ${first}.`,
    });
    const coin = { logIndex: null, byBalance: true, income: 25_000_000n } as const;
    const native = [await completed(hashOf(22), of), await completed(hashOf(22), of)];
    witness.say(
      proven(transferOf(hashOf(22), { ...coin, blockHash: hashOf(9_101) })),
      proven(transferOf(hashOf(22), { ...coin, blockHash: hashOf(9_102) })),
    );
    await lookAll();
    expect(new Set(await Promise.all(native.map(stateOf)))).toEqual(new Set(['pending', 'proven']));
  });

  it('is taken over also where its recipient has paid a part of it out, and not from a payment that is named it since', async () => {
    const [txHash, of] = [hashOf(23), { recipient: `0x${'7a'.repeat(20)}` }];
    const searched = await completed(null, of);
    witness.say(proven(transferOf(txHash, { income: 25_000_000n })));
    await lookAll();
    await reported(one, searched, 'COMPLETED', { txHash });
    const later = await completed(txHash, of);
    await lookAll();
    expect([await stateOf(searched), await stateOf(later)]).toEqual(['proven', 'contradicted']);
    const [unnamed, other] = [await completed(null, of), hashOf(24)];
    witness.say(proven(transferOf(other, { income: 25_000_000n })));
    await lookAll();
    const named = await completed(other, of);
    await lookAll();
    await makeDue();
    await lookAll();
    expect([await stateOf(unnamed), await stateOf(named)]).toEqual(['contradicted', 'proven']);
  });

  it('is no proof where payments have taken what its recipient kept of the transaction', async () => {
    const [txHash, income] = [hashOf(18), 30_000_000n];
    const of = (logIndex: number) => transferOf(txHash, { logIndex, income });
    witness.say(proven(of(1), of(2)));
    const quoteIds = await Promise.all([1, 2].map(() => completed(txHash)));
    const claims = await claimsOf(one);
    await Promise.all(claims.map((claim, at) => inspect(at === 0 ? one : two, claim, witness)));
    const states = await Promise.all(quoteIds.map(stateOf));
    expect(new Set(states)).toEqual(new Set(['contradicted', 'proven']));
  });

  it('is taken once where one wallet of Tron is written in two forms', async () => {
    const coin = { logIndex: null, byBalance: true, blockHash: hashOf(9_002), income: 24_900_000n } as const;
    const wallets = ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'];
    const quoteIds = await Promise.all(
      wallets.map((recipient, n) => completed(hashOf(21 + n), { recipient })),
    );
    witness.say(proven(transferOf(hashOf(21), coin)), proven(transferOf(hashOf(22), coin)));
    await lookAll();
    expect(new Set(await Promise.all(quoteIds.map(stateOf)))).toEqual(new Set(['pending', 'proven']));
  });

  it.each([
    { does: 'lets it go', again: [], becomes: 'proven' },
    {
      does: 'proves itself again',
      again: ['INSERT INTO proven_output SELECT * FROM held_output'],
      becomes: 'pending',
    },
  ])(
    'proves the payment that names it where the one that found it $does at the same time',
    async ({ again, becomes }) => {
      const txHash = hashOf(23 + again.length);
      const searched = await completed(null);
      witness.say(proven(transferOf(txHash)));
      await lookAll();
      const named = await completed(txHash);
      const [claim] = await claimsOf(one);
      if (claim === undefined) throw new Error('not claimed');
      const held = 'FROM proven_output WHERE tx_hash = $1';
      let inspection: Promise<boolean> | undefined;
      await whileHeld(db, [`SELECT 1 ${held} FOR UPDATE`, [txHash]], async (session) => {
        inspection = inspect(one, claim, witness);
        await untilLocked(db);
        await session.query(`CREATE TEMP TABLE held_output ON COMMIT DROP AS SELECT * ${held}`, [txHash]);
        await session.query(`DELETE ${held}`, [txHash]);
        for (const statement of again) await session.query(statement);
      });
      await inspection;
      expect([await stateOf(searched), await stateOf(named)]).toEqual([becomes, 'proven']);
    },
  );

  it('that a search found is given to the payment whose provider names it, and the loser is told once', async () => {
    const of = { recipient: `0x${'78'.repeat(20)}` };
    const searched = await completed(null, of);
    witness.say(proven(transferOf(hashOf(14))));
    await lookAll();
    expect(await stateOf(searched)).toBe('proven');
    expect(witness.asked.at(-1)?.used).toEqual(new Set());
    const named = await completed(hashOf(14), of);
    const [claim] = await claimsOf(one);
    if (claim === undefined) throw new Error('not claimed');
    await inspect(one, claim, witness);
    expect(await stateOf(named)).toBe('proven');
    // Neither an RPC that is away nor another report makes Paybell forget to report it.
    witness.say(inconclusive('rpc_away', 1_000));
    await makeDue();
    await lookAll();
    await db.query(
      'SELECT begin_proofs(array_agg(id), array_agg(report_digest)) FROM payment WHERE quote_id = $1',
      [searched],
    );
    expect(await stateOf(searched)).toBe('pending');
    witness.say(proven(transferOf(hashOf(14))));
    // The witness finds the same transfer each time, and no other one.
    for (let looks = 0; looks < 3; looks += 1) {
      await makeDue();
      await lookAll();
    }
    expect(witness.asked.at(-1)?.used).toEqual(new Set([outputKey(transferOf(hashOf(14)))]));
    expect((await eventsOf(one, searched)).slice(2)).toEqual([
      'verified COMPLETED proven',
      'anomaly COMPLETED output_used_before contradicted',
    ]);
    const { verification } = (await one.payments.find(searched)) ?? {};
    expect(verification).toMatchObject({ state: 'contradicted', txHash: hashOf(14), usedBy: named });
    expect(verification?.checks.find(({ name }) => name === 'unused')).toEqual({
      name: 'unused',
      passed: false,
      detail: `It proves the payment ${named}.`,
    });
    // A transfer of the payment's own proves it later.
    witness.say(proven(transferOf(hashOf(19))));
    await makeDue();
    await lookAll();
    expect((await eventsOf(one, searched)).at(-1)).toBe('verified COMPLETED proven');
  });
});

const UNSEEN_CHAIN = 42_161;
/** A payment that was reported as completed and inspected once; a withheld one after its patience. */
async function inspected(isRequired: boolean, receive: object = {}): Promise<string> {
  const quoteId = await quoted(one, receive);
  await reported(one, quoteId, 'COMPLETED', { txHash: hashOf((hashes += 1)), isRequired });
  if (isRequired) await db.query(`UPDATE payment_proof SET began_at = began_at - interval '30 minutes'`);
  for (const claim of await claimsOf(one)) await inspect(one, claim, witness);
  return quoteId;
}

async function counts(): Promise<Record<string, number>> {
  const { troubles } = await new PostgresAttentionCounts(one.database, one.rules).payments();
  const found = Object.entries(troubles).filter(([, { count }]) => count > 0);
  return Object.fromEntries(found.map(([trouble, { count }]) => [trouble, count]));
}

describe('what needs a person', () => {
  beforeEach(() => db.query('DELETE FROM payment'));

  it('are completions unproven on a chain with an RPC, and all that are withheld', async () => {
    witness.say({ ...inconclusive('coin_without_hash', null), checks: checksOf({}) });
    await inspected(false);
    await inspected(true);
    expect(await counts()).toEqual({ unverified: 2 });
    // The provider's word completes no withheld payment.
    expect(await one.proofFigures.lastDay()).toMatchObject({ unverified: 1 });
    await db.query(`UPDATE payment_proof SET began_at = now() - interval '2 days'`);
    expect(await counts()).toMatchObject({ unverified: 1 });
  });

  it('waits for a proof on a chain: a pending completion, and a withheld one whatever it is called', async () => {
    const waiting = async () => [...(await one.proofFigures.waiting([CHAIN_ID, UNSEEN_CHAIN]))];
    witness.say(inconclusive('not_found', 1_000));
    await inspected(false);
    await inspected(true);
    expect(await waiting()).toEqual([
      [CHAIN_ID, { count: 2, isMore: false }],
      [UNSEEN_CHAIN, { count: 0, isMore: false }],
    ]);
    await db.query(`UPDATE payment_proof SET state = 'unverified'`);
    expect((await waiting())[0]).toEqual([CHAIN_ID, { count: 1, isMore: false }]);
  });

  it('are no completions on a chain without an RPC, which nothing can prove', async () => {
    const quoteId = await inspected(false, { chain: { id: UNSEEN_CHAIN, name: 'Arbitrum' } });
    expect((await one.payments.find(quoteId))?.verification?.state).toBe('unverified');
    expect(await counts()).toEqual({});
    await inspected(true, { chain: { id: UNSEEN_CHAIN, name: 'Arbitrum' } });
    expect(await counts()).toMatchObject({ unverified: 1 });
  });

  it('is a contradiction for as long as the provider stands by its report', async () => {
    witness.say(contradicted('output_missing'));
    const withheld = await inspected(true);
    await inspected(false);
    expect(await counts()).toMatchObject({ contradicted: 2 });
    await reported(one, withheld, 'FAILED', { isRequired: true });
    expect(await counts()).toMatchObject({ contradicted: 1 });
  });

  it('is told beside the proofs of the payments of a day, for each state as many as the list finds', async () => {
    const DAY_MS = 86_400_000;
    const both = async () => {
      const listed = await Promise.all(
        VERIFICATION_STATES.map(async (verification) => {
          const statuses = verification === 'unverified' ? ['COMPLETED' as const] : [];
          const createdAfter = new Date(Date.now() - DAY_MS);
          const { count } = await one.payments.count({ verification, statuses, createdAfter });
          return [verification, count];
        }),
      );
      return [await one.proofFigures.lastDay(), Object.fromEntries(listed)];
    };
    witness.say({ ...inconclusive('coin_without_hash', null), checks: checksOf({}) });
    const [byWord, withheld] = [await inspected(false), await inspected(true)];
    expect((await one.payments.find(withheld))?.verification?.state).toBe('unverified');
    // The provider took its word back: the withheld payment has not completed either.
    await reported(one, await inspected(true), 'FAILED', { isRequired: true });
    witness.say(contradicted('amount_short'));
    for (const isRequired of [true, false]) await inspected(isRequired);
    const expected = { pending: 0, proven: 0, contradicted: 2, unverified: 1 };
    expect(await both()).toEqual([expected, expected]);
    // The completion of an old payment is not on the list either.
    await db.query(`UPDATE payment SET created_at = now() - interval '2 days' WHERE quote_id = $1`, [byWord]);
    const left = { ...expected, unverified: 0 };
    expect(await both()).toEqual([left, left]);
  });

  it('is nothing that is proven, and a day counts them all', async () => {
    witness.say(proven(transferOf(hashOf(1))));
    await inspected(true);
    expect(await counts()).toEqual({});
    expect(await one.proofFigures.lastDay()).toEqual({
      pending: 0,
      proven: 1,
      contradicted: 0,
      unverified: 0,
    });
  });
});

describe('without VERIFY', () => {
  it('nothing is written', async () => {
    const { db: other, one: off } = await openReplicas();
    const quoteId = await quoted(off);
    await reported(off, quoteId, 'COMPLETED', { txHash: hashOf(1) });
    expect(await other.query('SELECT 1 FROM payment_proof')).toEqual([]);
    expect(await other.query('SELECT 1 FROM deposit_watch')).toEqual([]);
    expect((await off.payments.find(quoteId))?.verification).toBeNull();
  });
});
