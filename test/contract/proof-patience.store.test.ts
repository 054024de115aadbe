import { beforeEach, describe, expect, it } from '@jest/globals';

import type { OutputAnswer } from '../../src/domain/proof/output.ts';
import { untilLocked, whileHeld } from '../support/held-rows.ts';
import { contradicted, inconclusive, proven, transferOf } from '../support/proof-answers.ts';
import { claimed, pollResult, says } from '../support/poll-results.ts';
import { claimsOf, eventsOf, inspect, quoted, reported, ScriptedWitness } from '../support/proof-scene.ts';
import { CHAIN_ID, hashOf } from '../support/proof-texts.ts';
import { openReplicas } from '../support/replicas.ts';

const REQUIRE = { isRequired: true, chainIds: new Set([CHAIN_ID, 10]) };
const SHORT = contradicted('amount_short', transferOf(hashOf(1), { amount: 1n }));
const CASES: readonly [string, OutputAnswer, string, string][] = [
  ['pending', inconclusive('rpc_away', 5_000), 'pending', 'unverified'],
  ['hopeless', inconclusive('coin_without_hash', null), 'pending', 'unverified'],
  ['contradicted', SHORT, 'contradicted', 'contradicted'],
];
const ANOMALY = 'anomaly EXECUTING amount_short contradicted';

let witness: ScriptedWitness;
let hashes = 5_000;

const { db, one, two } = await openReplicas({ proof: REQUIRE });
beforeEach(async () => {
  witness = new ScriptedWitness();
  await db.query('DELETE FROM payment_proof');
});

async function withheld(txHash: string): Promise<string> {
  const quoteId = await quoted(one);
  await reported(one, quoteId, 'COMPLETED', { txHash, isRequired: true });
  return quoteId;
}

async function inspectAll(stores = one): Promise<void> {
  for (const claim of await claimsOf(stores)) await inspect(stores, claim, witness);
}

/** Lets this time pass. */
async function pass(minutes: number): Promise<void> {
  await db.query(
    `UPDATE payment_proof
     SET began_at = began_at - $1 * interval '1 minute', due_at = due_at - $1 * interval '1 minute'`,
    [minutes],
  );
}

/** The events of a payment after its first ones. */
async function toldOf(quoteId: string): Promise<string[]> {
  return (await eventsOf(one, quoteId)).slice(2);
}

async function stallsOf(quoteId: string): Promise<string[]> {
  return (await toldOf(quoteId)).filter((event) => event.startsWith('stalled'));
}

async function stateOf(quoteId: string): Promise<string | undefined> {
  return (await one.payments.find(quoteId))?.verification?.state;
}

describe.each(CASES)('a withheld completion that is %s', (name, answer, before, after) => {
  const soFar = name === 'contradicted' ? [ANOMALY] : [];
  const stalled = `stalled EXECUTING unverified ${after}`;

  it('stalls when its patience is over, not before, and once; a later proof completes it', async () => {
    const txHash = hashOf(200 + name.length);
    const quoteId = await withheld(txHash);
    witness.say(answer);
    await inspectAll();
    expect([await stateOf(quoteId), ...(await toldOf(quoteId))]).toEqual([before, ...soFar]);
    await pass(29);
    await inspectAll();
    expect(await toldOf(quoteId)).toEqual(soFar);
    await pass(1);
    await inspectAll();
    expect([await stateOf(quoteId), ...(await toldOf(quoteId))]).toEqual([after, ...soFar, stalled]);
    for (let hour = 0; hour < 3; hour += 1) {
      await pass(60);
      await inspectAll(hour === 1 ? two : one);
    }
    expect(await toldOf(quoteId)).toEqual([...soFar, stalled]);
    witness.say(proven(transferOf(txHash)));
    await pass(60);
    await inspectAll();
    expect((await toldOf(quoteId)).at(-1)).toBe('completed COMPLETED proven');
  });

  it('stalls once, whichever of two replicas is killed between', async () => {
    const quoteId = await withheld(hashOf(300 + name.length));
    witness.say(answer);
    await inspectAll();
    await pass(31);
    // The first process has claimed the payment, and its lease ends without a result.
    const [lost] = await one.proofs.claimDue(100, 0);
    await inspectAll(two);
    if (lost === undefined) throw new Error('not claimed');
    expect(await inspect(one, lost, witness)).toBe(false);
    expect(await toldOf(quoteId)).toEqual([...soFar, stalled]);
  });
});

describe('a withheld completion that is contradicted', () => {
  it('stays so, and stalls, where no RPC answers at the end of its patience', async () => {
    const quoteId = await withheld(hashOf(400));
    witness.say(SHORT);
    await inspectAll();
    const { verification } = (await one.payments.find(quoteId)) ?? {};
    witness.say(inconclusive('rpc_away', 5_000));
    await pass(31);
    await inspectAll();
    expect(await toldOf(quoteId)).toEqual([ANOMALY, 'stalled EXECUTING unverified contradicted']);
    expect((await one.payments.find(quoteId))?.verification).toEqual(verification);
  });
});

describe('a withheld completion whose report changes', () => {
  it('stalls by the time of its first report', async () => {
    const quoteId = await withheld(hashOf(500));
    witness.say(inconclusive('rpc_away', 5_000));
    for (const txHash of [hashOf(501), hashOf(502)]) {
      await inspectAll();
      await pass(15);
      await reported(one, quoteId, 'COMPLETED', { txHash, isRequired: true });
    }
    await inspectAll();
    expect(await stallsOf(quoteId)).toEqual(['stalled EXECUTING unverified unverified']);
  });

  it('has its whole patience again after the provider took it back', async () => {
    const quoteId = await withheld(hashOf(510));
    witness.say(inconclusive('rpc_away', 5_000));
    await inspectAll();
    await reported(one, quoteId, 'EXECUTING', { isRequired: true });
    await pass(29);
    await inspectAll();
    await reported(one, quoteId, 'COMPLETED', { txHash: hashOf(510), isRequired: true });
    await pass(29);
    await inspectAll();
    expect(await stallsOf(quoteId)).toEqual([]);
  });
});

async function lookAll(): Promise<void> {
  await db.query('UPDATE payment_proof SET due_at = now() WHERE due_at IS NOT NULL');
  for (const claim of await claimsOf(one)) await inspect(one, claim, witness);
}

/**
 * Runs `work` while another transaction holds the payment; `change` is that transaction's last statement, and is then
 * committed.
 */
async function whileChanged(quoteId: string, work: () => Promise<unknown>, change: string): Promise<void> {
  let working: Promise<unknown> | undefined;
  await whileHeld(
    db,
    ['SELECT 1 FROM payment WHERE quote_id = $1 FOR UPDATE', [quoteId]],
    async (session) => {
      working = work();
      await untilLocked(db);
      await session.query(change, [quoteId]);
    },
  );
  await working;
}

describe('a completion that the provider takes back while the chain is inspected', () => {
  it.each(['FAILED', 'EXECUTING'])('as %s completes once it says so again', async (word) => {
    const txHash = hashOf((hashes += 1));
    const quoteId = await withheld(txHash);
    const [claim] = await claimsOf(one);
    if (claim === undefined) throw new Error('not claimed');
    await reported(one, quoteId, word, { isRequired: true });
    witness.say(proven(transferOf(txHash)));
    await inspect(one, claim, witness);
    expect((await eventsOf(one, quoteId)).join()).not.toContain('completed');
    await reported(one, quoteId, 'COMPLETED', { txHash, isRequired: true });
    await lookAll();
    expect((await eventsOf(one, quoteId)).at(-1)).toBe('completed COMPLETED proven');
  });

  it('and says again before the inspection has ended is not forgotten', async () => {
    const txHash = hashOf((hashes += 1));
    const quoteId = await withheld(txHash);
    await reported(one, quoteId, 'EXECUTING', { isRequired: true });
    const [claim] = await claimsOf(one);
    if (claim === undefined) throw new Error('not claimed');
    await reported(one, quoteId, 'COMPLETED', { txHash, isRequired: true });
    await inspect(one, claim, witness);
    await lookAll();
    expect((await eventsOf(one, quoteId)).at(-1)).toBe('completed COMPLETED proven');
  });

  it('without an event of that, at the moment of the proof, is not told', async () => {
    const quoteId = await withheld(hashOf((hashes += 1)));
    const [claim] = await claimsOf(one);
    if (claim === undefined) throw new Error('not claimed');
    await whileChanged(
      quoteId,
      () => inspect(one, claim, witness),
      `UPDATE payment SET report_digest = 'another' WHERE quote_id = $1`,
    );
    expect((await eventsOf(one, quoteId)).join()).not.toContain('completed');
  });
});

describe('a completion by its proof', () => {
  it.each([
    ['', ''],
    [' that is no longer polled', 'DELETE FROM payment_schedule WHERE quote_id = $1'],
  ])(
    'is polled again a minute later, and not by a poll under way: of a payment%s',
    async (_which, before) => {
      const quoteId = await withheld(hashOf((hashes += 1)));
      const poll = await claimed(one, quoteId);
      if (before !== '') await db.query(before, [quoteId]);
      await inspectAll();
      const { tracking, nextPollAt } = (await one.payments.find(quoteId)) ?? {};
      expect(tracking).toBe('watching');
      expect((nextPollAt?.getTime() ?? 0) - Date.now()).toBeCloseTo(60_000, -4);
      const { stale } = await one.schedule.record([pollResult(poll, says('COMPLETED'))]);
      expect(stale).toBe(1);
    },
  );
});

describe('a label', () => {
  it('that waits for the poll which closes the payment does not open it again', async () => {
    const quoteId = await quoted(one);
    await whileChanged(
      quoteId,
      () => one.payments.label(quoteId, { orderId: 'A-1', metadata: null }),
      `UPDATE payment SET tracking = 'closed' WHERE quote_id = $1`,
    );
    expect(await one.payments.find(quoteId)).toMatchObject({ tracking: 'closed', orderId: 'A-1' });
  });
});
