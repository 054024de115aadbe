import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { TestDatabase } from '../support/database.ts';
import {
  claimsOf,
  inconclusive,
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

const OBSERVE = { isRequired: false, chainIds: new Set([CHAIN_ID]) };
const UNSEEN_CHAIN = 42_161;
const CONTRADICTED = {
  state: 'contradicted',
  reason: 'output_missing',
  transfer: null,
  checks: [],
  sources: [],
} as const;

let db: TestDatabase;
let one: Stores;
let witness: ScriptedWitness;
let hashes = 7_000;

beforeAll(async () => {
  ({ db, one } = await openReplicas({ proof: OBSERVE }));
});
beforeEach(async () => {
  witness = new ScriptedWitness();
  await db.query('DELETE FROM payment');
});

/** A payment that is reported as completed and inspected once, after its patience where it is withheld. */
async function inspected(isRequired: boolean, receive: object = {}): Promise<string> {
  const quoteId = await quoted(one, receive);
  await reported(one, quoteId, 'COMPLETED', { txHash: hashOf((hashes += 1)), isRequired });
  if (isRequired) await db.query(`UPDATE payment_proof SET began_at = began_at - interval '30 minutes'`);
  for (const claim of await claimsOf(one)) await inspect(one, claim, witness);
  return quoteId;
}

async function counts(): Promise<Record<string, number>> {
  const troubles = Object.entries((await one.proofFigures.troubles()) ?? {});
  return Object.fromEntries(troubles.map(([trouble, { count }]) => [trouble, count]));
}

describe('what needs a person', () => {
  it('are completions unproven on a chain with an RPC, and all that are withheld', async () => {
    witness.say(inconclusive('coin_without_hash', null));
    await inspected(false);
    await inspected(true);
    expect(await counts()).toEqual({ contradicted: 0, unverified: 2, depositUnseen: 0 });
    await db.query(`UPDATE payment_proof SET began_at = now() - interval '2 days'`);
    expect(await counts()).toMatchObject({ unverified: 1 });
  });

  it('are no completions on a chain without an RPC, which nothing can prove', async () => {
    const quoteId = await inspected(false, { chain: { id: UNSEEN_CHAIN, name: 'Arbitrum' } });
    expect((await one.payments.find(quoteId))?.verification?.state).toBe('unverified');
    expect(await counts()).toMatchObject({ unverified: 0 });
    await inspected(true, { chain: { id: UNSEEN_CHAIN, name: 'Arbitrum' } });
    expect(await counts()).toMatchObject({ unverified: 1 });
  });

  it('is a contradiction for as long as the provider stands by its report', async () => {
    witness.say(CONTRADICTED);
    const withheld = await inspected(true);
    await inspected(false);
    expect(await counts()).toMatchObject({ contradicted: 2 });
    await reported(one, withheld, 'FAILED', { isRequired: true });
    expect(await counts()).toMatchObject({ contradicted: 1 });
  });

  it('is nothing that is proven, and a day counts them all', async () => {
    witness.say(proven(transferOf(hashOf(1))));
    await inspected(true);
    expect(await counts()).toEqual({ contradicted: 0, unverified: 0, depositUnseen: 0 });
    expect(await one.proofFigures.lastDay()).toEqual({
      pending: 0,
      proven: 1,
      contradicted: 0,
      unverified: 0,
    });
  });
});
