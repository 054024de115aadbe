import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import type { TestDatabase } from '../support/database.ts';
import {
  claimsOf,
  eventsOf,
  inspect,
  proven,
  quoted,
  reported,
  ScriptedWitness,
  transferOf,
} from '../support/proof-scene.ts';
import { CHAIN_ID, hashOf } from '../support/proof-texts.ts';
import { openReplicas } from '../support/replicas.ts';
import type { Stores } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const REQUIRE = { isRequired: true, chainIds: new Set([CHAIN_ID, 10]) };

let db: TestDatabase;
let one: Stores;
let witness: ScriptedWitness;
let hashes = 5_000;

beforeAll(async () => {
  ({ db, one } = await openReplicas({ proof: REQUIRE }));
});
beforeEach(async () => {
  witness = new ScriptedWitness();
  await db.query('DELETE FROM payment_proof');
});

async function completed(quoteId: string, txHash: string): Promise<void> {
  await reported(one, quoteId, 'COMPLETED', { txHash, isRequired: true });
}

/** A payment whose completion waits for its proof, with its only inspection claimed. */
async function withheld(): Promise<{ quoteId: string; txHash: string }> {
  const quoteId = await quoted(one);
  const txHash = hashOf((hashes += 1));
  await completed(quoteId, txHash);
  return { quoteId, txHash };
}

async function lookAll(): Promise<void> {
  await db.query('UPDATE payment_proof SET due_at = now() WHERE due_at IS NOT NULL');
  for (const claim of await claimsOf(one)) await inspect(one, claim, witness);
}

/** Runs `work` while another transaction holds the payment, which `change` ends and which is committed then. */
async function whileHeld(quoteId: string, work: () => Promise<unknown>, change: string): Promise<void> {
  const client = new pg.Client({ connectionString: db.directUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM payment WHERE quote_id = $1 FOR UPDATE', [quoteId]);
    const working = work();
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await waitFor(async () => (await db.query(waiting)).length > 0);
    await client.query(change, [quoteId]);
    await client.query('COMMIT');
    await working;
  } finally {
    await client.end();
  }
}

describe('a completion that the provider takes back while the chain is inspected', () => {
  it.each(['FAILED', 'EXECUTING'])('as %s completes once it says so again', async (word) => {
    const { quoteId, txHash } = await withheld();
    const [claim] = await claimsOf(one);
    if (claim === undefined) throw new Error('not claimed');
    await reported(one, quoteId, word, { isRequired: true });
    witness.say(proven(transferOf(txHash)));
    await inspect(one, claim, witness);
    expect((await eventsOf(one, quoteId)).join()).not.toContain('completed');
    await completed(quoteId, txHash);
    await lookAll();
    expect((await eventsOf(one, quoteId)).at(-1)).toBe('completed COMPLETED proven');
  });

  it('and says again before the inspection has ended is not forgotten', async () => {
    const { quoteId, txHash } = await withheld();
    await reported(one, quoteId, 'EXECUTING', { isRequired: true });
    const [claim] = await claimsOf(one);
    if (claim === undefined) throw new Error('not claimed');
    await completed(quoteId, txHash);
    await inspect(one, claim, witness);
    await lookAll();
    expect((await eventsOf(one, quoteId)).at(-1)).toBe('completed COMPLETED proven');
  });

  it('without an event of that, at the moment of the proof, is not told', async () => {
    const { quoteId } = await withheld();
    const [claim] = await claimsOf(one);
    if (claim === undefined) throw new Error('not claimed');
    await whileHeld(
      quoteId,
      () => inspect(one, claim, witness),
      `UPDATE payment SET report_digest = 'another' WHERE quote_id = $1`,
    );
    expect((await eventsOf(one, quoteId)).join()).not.toContain('completed');
  });
});

describe('a label', () => {
  it('that waits for the poll which closes the payment does not open it again', async () => {
    const quoteId = await quoted(one);
    await whileHeld(
      quoteId,
      () => one.payments.label(quoteId, { orderId: 'A-1', metadata: null }),
      `UPDATE payment SET tracking = 'closed' WHERE quote_id = $1`,
    );
    expect(await one.payments.find(quoteId)).toMatchObject({ tracking: 'closed', orderId: 'A-1' });
  });
});
