import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { applyUnseenDeposit } from '../../src/domain/transitions/unseen-deposit.ts';
import { type NotedDeposit, unseenDeposit } from '../../src/domain/transitions/untold-deposits.ts';
import { watchedDeposit } from '../../src/domain/payment/watched-deposit.ts';
import { NO_OFFERS } from '../../src/ports/new-deliveries.ts';
import type { DepositClaim } from '../../src/ports/watched-deposits.ts';
import { eventsOf, quoted, reported } from '../support/proof-scene.ts';
import { CHAIN_ID, DEPOSIT_ADDRESS, hashOf, quoteOf, statusOf } from '../support/proof-texts.ts';
import { openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';

const PROOF = { isRequired: false, chainIds: new Set([CHAIN_ID, 10]) };
const LEASE_MS = 60_000;

const { db, one, two } = await openReplicas({ proof: PROOF });
beforeEach(() => db.query('DELETE FROM deposit_watch'));

async function expiring(inMs: number, quoteText?: string): Promise<string> {
  const quoteId = randomUUID();
  const expiresAt = new Date(Date.now() + inMs);
  await one.payments.add(paymentToAdd(quoteId, { expiresAt, quoteText: quoteText ?? quoteOf(quoteId) }));
  return quoteId;
}

const TOKEN = '0x0b2c639c533813f4aa9d7837caf62653d097ff85';

function noted(txHash: string | null, more: Partial<NotedDeposit> = {}): NotedDeposit {
  const [at, notedAt] = [new Date('2026-11-26T12:00:00Z'), new Date('2026-11-26T12:20:00.123Z')];
  const block = { blockNumber: 100, blockHash: hashOf(9_000), at };
  return { txHash, ...block, token: TOKEN, amount: 25_000_000n, notedAt, ...more };
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
      noted: [],
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
    await one.watchedDeposits.keep(first, [noted(hashOf(1))], 0);
    await two.watchedDeposits.keep(second, [], 0);
    expect((await claimed()).noted).toEqual([]);
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

  it('keeps the deposits that were found, and since when', async () => {
    await expiring(0);
    const deposits = [noted(hashOf(4), { amount: 2n ** 70n }), noted(null, { token: null })];
    await one.watchedDeposits.keep(await claimed(), deposits, 0);
    const claim = await claimed();
    expect(claim.noted).toEqual(deposits);
    await one.watchedDeposits.keep(claim, deposits, null);
    expect(await db.query('SELECT 1 FROM deposit_watch')).toEqual([]);
  });

  it('leads to one anomaly, also where the process ends after its event, and to one more for each further deposit', async () => {
    const quoteId = await expiring(0);
    await claimed();
    await makeDue();
    const tell = (stores: Stores, txHash: string, sum: bigint) => {
      const untold = { ...noted(txHash), wrongToken: false, sum };
      const deposit = unseenDeposit(untold, { chainId: 10 }, { came: 6, asked: 6 });
      return stores.watchedDeposits.tell(
        quoteId,
        (payment) => applyUnseenDeposit(payment, deposit),
        NO_OFFERS,
      );
    };
    await Promise.all([one, two].map((stores) => tell(stores, hashOf(5), 25_000_000n)));
    expect((await claimed(two)).contradictions).toEqual([`deposit_unseen_by_provider:${hashOf(5)}`]);
    await tell(two, hashOf(6), 50_000_000n);
    expect(await eventsOf(one, quoteId)).toEqual([
      'created AWAITING_DEPOSIT',
      'anomaly AWAITING_DEPOSIT deposit_unseen_by_provider',
      'anomaly AWAITING_DEPOSIT deposit_unseen_by_provider',
    ]);
    const bodies = (await one.payments.eventsOf(quoteId))?.events ?? [];
    const amounts = { amount: '25', amountRaw: '25000000', sum: '50', sumRaw: '50000000' };
    expect((JSON.parse(bodies[2] ?? '') as { data: { deposit: unknown } }).data.deposit).toEqual({
      chainId: 10,
      txHash: hashOf(6),
      token: TOKEN,
      wrongToken: false,
      ...amounts,
      block: 100,
    });
  });

  it('that the provider reports meanwhile leads to nothing', async () => {
    const quoteId = await expiring(0);
    await reported(one, quoteId, 'DEPOSIT_RECEIVED');
    const untold = { ...noted(hashOf(6)), wrongToken: false, sum: 25n };
    const deposit = unseenDeposit(untold, { chainId: 10 }, { came: null, asked: null });
    await one.watchedDeposits.tell(quoteId, (payment) => applyUnseenDeposit(payment, deposit), NO_OFFERS);
    expect(await eventsOf(one, quoteId)).toEqual([
      'created AWAITING_DEPOSIT',
      'deposit_received DEPOSIT_RECEIVED',
    ]);
  });

  it('is known to be of other payments too, by the index of searches', async () => {
    const other = await quoted(one);
    await reported(one, other, 'DEPOSIT_RECEIVED');
    await expiring(0);
    const ended = await claimed();
    await one.watchedDeposits.keep(ended, [], null);
    const watched = await expiring(3_600_000);
    await expiring(0);
    const claim = await claimed();
    const others = await one.watchedDeposits.othersWith(claim, DEPOSIT_ADDRESS.toUpperCase());
    const reportText = statusOf(other, 'DEPOSIT_RECEIVED');
    expect(others).toContainEqual(expect.objectContaining({ status: 'DEPOSIT_RECEIVED', reportText }));
    expect(others?.map(({ id }) => id)).not.toContain(claim.id);
    expect(others?.find(({ id }) => id === ended.id)).toMatchObject({ isWatched: false });
    expect(others?.filter(({ isWatched }) => isWatched).map(({ quoteText }) => quoteText)).toContainEqual(
      expect.stringContaining(watched),
    );
    const elsewhere = DEPOSIT_ADDRESS.replaceAll('2', '3');
    expect(await one.watchedDeposits.othersWith(claim, elsewhere)).toEqual([]);
  });
});
