import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { TestDatabase } from '../support/database.ts';
import { applyUnseenDeposit } from '../../src/domain/payment/unseen-deposit.ts';
import { unseenDeposit, watchedDeposit } from '../../src/domain/payment/watched-deposit.ts';
import { NO_OFFERS } from '../../src/ports/new-deliveries.ts';
import type { DepositClaim } from '../../src/ports/watched-deposits.ts';
import { transferOf } from '../support/proof-answers.ts';
import { eventsOf, quoted, reported } from '../support/proof-scene.ts';
import { CHAIN_ID, DEPOSIT_ADDRESS, hashOf, quoteOf } from '../support/proof-texts.ts';
import { openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';

const PROOF = { isRequired: false, chainIds: new Set([CHAIN_ID, 10]) };
const LEASE_MS = 60_000;

let db: TestDatabase;
let one: Stores;
let two: Stores;

beforeAll(async () => {
  ({ db, one, two } = await openReplicas({ proof: PROOF }));
});
beforeEach(() => db.query('DELETE FROM deposit_watch'));

async function expiring(inMs: number, quoteText?: string): Promise<string> {
  const quoteId = randomUUID();
  const expiresAt = new Date(Date.now() + inMs);
  await one.payments.add(paymentToAdd(quoteId, { expiresAt, quoteText: quoteText ?? quoteOf(quoteId) }));
  return quoteId;
}

async function claimed(stores = one): Promise<DepositClaim> {
  const [claim, ...others] = await stores.watchedDeposits.claimDue(10, LEASE_MS);
  if (claim === undefined || others.length > 0) throw new Error('not one claim');
  return claim;
}

async function makeDue(): Promise<void> {
  await db.query('UPDATE deposit_watch SET due_at = now()');
}

describe('a watched deposit address', () => {
  it('is due near the expiry of its quote, and no sooner', async () => {
    await expiring(300_000);
    expect(await one.watchedDeposits.claimDue(10, LEASE_MS)).toEqual([]);
    const quoteId = await expiring(30_000);
    const claim = await claimed();
    expect(claim).toMatchObject({
      quoteId,
      inspections: 1,
      seen: null,
      txHashes: [],
      status: 'AWAITING_DEPOSIT',
    });
    expect(watchedDeposit(claim)).toMatchObject({ chainId: 10, depositAddress: DEPOSIT_ADDRESS });
    expect(claim.leftMs).toBeGreaterThan(86_000_000);
  });

  it('is of a chain that has an RPC', async () => {
    const quote = JSON.parse(quoteOf('q')) as { send: { chain: object } };
    quote.send.chain = { id: 1, name: 'Ethereum' };
    await expiring(0, JSON.stringify(quote));
    expect(await one.watchedDeposits.claimDue(10, LEASE_MS)).toEqual([]);
  });

  it('is inspected by one replica at a time', async () => {
    await expiring(0);
    const first = await claimed();
    expect(await two.watchedDeposits.claimDue(10, LEASE_MS)).toEqual([]);
    await makeDue();
    const second = await claimed(two);
    await one.watchedDeposits.keep(first, transferOf(hashOf(1)), 0);
    await two.watchedDeposits.keep(second, null, 0);
    expect((await claimed()).seen).toBeNull();
  });

  it('is inspected at once, and for a day, when a payer passes a hash on', async () => {
    const quoteId = await expiring(300_000);
    expect(await one.watchedDeposits.watch(quoteId, hashOf(3))).toBe(true);
    expect(await one.watchedDeposits.watch(quoteId, hashOf(3))).toBe(true);
    expect(await claimed()).toMatchObject({ quoteId, txHashes: [hashOf(3)], inspections: 1 });
  });

  it('of a paid or unknown payment is not watched', async () => {
    const quoteId = await quoted(one);
    await reported(one, quoteId, 'DEPOSIT_RECEIVED');
    expect(await one.watchedDeposits.watch(quoteId, hashOf(3))).toBe(false);
    expect(await one.watchedDeposits.watch(randomUUID(), hashOf(3))).toBe(false);
  });

  it('keeps the deposit that was found, and since when', async () => {
    await expiring(0);
    await one.watchedDeposits.keep(await claimed(), transferOf(hashOf(4), { amount: 2n ** 70n }), 0);
    const claim = await claimed();
    expect(claim.seen).toMatchObject({ txHash: hashOf(4), amount: 2n ** 70n });
    expect(claim.seenAgoMs).toBeGreaterThan(0);
    await one.watchedDeposits.keep(claim, null, null);
    expect(await db.query('SELECT 1 FROM deposit_watch')).toEqual([]);
  });

  it('leads to one anomaly, also where the process ends after its event', async () => {
    const quoteId = await expiring(0);
    const claim = await claimed();
    const deposit = unseenDeposit(transferOf(hashOf(5)), 10, quoteOf(quoteId));
    const judge = (payment: Parameters<typeof applyUnseenDeposit>[0]) => applyUnseenDeposit(payment, deposit);
    await makeDue();
    const again = await claimed(two);
    await one.watchedDeposits.end(claim, judge, NO_OFFERS);
    await two.watchedDeposits.end(again, judge, NO_OFFERS);
    expect(await eventsOf(one, quoteId)).toEqual([
      'created AWAITING_DEPOSIT',
      'anomaly AWAITING_DEPOSIT deposit_unseen_by_provider',
    ]);
    const bodies = (await one.payments.eventsOf(quoteId))?.events ?? [];
    expect(JSON.parse(bodies[1] ?? '')).toMatchObject({
      data: { deposit: { chainId: 10, txHash: hashOf(5), amount: '25', amountRaw: '25000000', block: 100 } },
    });
    expect(await db.query('SELECT 1 FROM deposit_watch')).toEqual([]);
  });

  it('that the provider reports meanwhile leads to nothing', async () => {
    const quoteId = await expiring(0);
    const claim = await claimed();
    await reported(one, quoteId, 'DEPOSIT_RECEIVED');
    const deposit = unseenDeposit(transferOf(hashOf(6)), 10, null);
    await one.watchedDeposits.end(claim, (payment) => applyUnseenDeposit(payment, deposit), NO_OFFERS);
    expect(await eventsOf(one, quoteId)).toEqual([
      'created AWAITING_DEPOSIT',
      'deposit_received DEPOSIT_RECEIVED',
    ]);
  });
});
