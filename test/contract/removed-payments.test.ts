import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import { v5 as uuidv5 } from 'uuid';

import type { PaymentToAdd } from '../../src/ports/payments.ts';
import { untilLocked, whileHeld } from '../support/held-rows.ts';
import { openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';
import { reportOf } from '../support/poll-results.ts';

/** The namespace that docs/using/events.md states. */
const COMPLETED_IDS = '8e757462-68c2-4ab7-a91a-0baab41eefd2';
const REMOVE = 'DELETE FROM payment WHERE quote_id = $1';
const REMOVED = { code: 'payment_removed', httpStatus: 409 };

const { db, one, two } = await openReplicas();

/** A payment as the adoption of a completed quote makes it. */
function adopted(quoteId: string): PaymentToAdd {
  return paymentToAdd(quoteId, { quoteText: null, report: reportOf({ quoteId, status: 'COMPLETED' }) });
}

/** Closes and removes the payments, as if each had had its last poll. */
async function removeAll(stores: Stores): Promise<number> {
  await db.query(`UPDATE payment SET tracking = 'closed'`);
  const { count } = await stores.retention.removeClosedBefore(new Date(Date.now() + 60_000), 1_000);
  return count;
}

async function storedRows(quoteId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*)::int FROM payment p JOIN event e ON e.payment_id = p.id WHERE p.quote_id = $1`,
    [quoteId],
  );
  return row?.count ?? -1;
}

describe('a payment that retention has removed', () => {
  it('is kept in mind by 16 bytes where its id is a UUID, and by its text otherwise', async () => {
    const [uuid, word] = [randomUUID(), `q-${randomUUID()}`];
    await db.query('DELETE FROM removed_payment');
    for (const quoteId of [uuid, word]) await one.payments.add(adopted(quoteId));
    await removeAll(one);
    const rows = await db.query(`SELECT quote_uuid, quote_text FROM removed_payment ORDER BY 1`);
    expect(rows).toEqual([
      { quote_uuid: uuid, quote_text: null },
      { quote_uuid: null, quote_text: word },
    ]);
  });

  it('is not stored by an adoption that waits for the removal to be committed', async () => {
    const quoteId = randomUUID();
    await one.payments.add(adopted(quoteId));
    let adopting: Promise<unknown> | undefined;
    await whileHeld(db, [REMOVE, [quoteId]], async () => {
      adopting = one.payments.add(adopted(quoteId)).catch((error: unknown) => error);
      await untilLocked(db);
    });
    expect(await adopting).toMatchObject(REMOVED);
    expect([await one.payments.find(quoteId), await storedRows(quoteId)]).toEqual([null, 0]);
  });

  it('stays where its removal is rolled back', async () => {
    const quoteId = randomUUID();
    await one.payments.add(adopted(quoteId));
    let adopting: Promise<unknown> | undefined;
    const adopt = async (): Promise<void> => {
      adopting = one.payments.add(adopted(quoteId));
      await untilLocked(db);
    };
    await whileHeld(db, [REMOVE, [quoteId]], adopt, 'ROLLBACK');
    expect(await adopting).toMatchObject({ isNew: false });
    expect(await one.payments.read(quoteId)).toMatchObject({ quoteId });
  });

  it('has published its completion once, whatever adoptions and removals race', async () => {
    const quoteIds = Array.from({ length: 20 }, () => randomUUID());
    const published = new Map<string, number>();
    const over = new AbortController();
    const adopters = [one, two, one, two].map(async (stores) => {
      while (!over.signal.aborted)
        for (const quoteId of quoteIds) {
          const { isNew } = await stores.payments.add(adopted(quoteId)).catch(() => ({ isNew: false }));
          if (isNew) published.set(quoteId, (published.get(quoteId) ?? 0) + 1);
        }
    });
    let removed = 0;
    while (removed < quoteIds.length) removed += (await removeAll(one)) + (await removeAll(two));
    await sleep(200);
    over.abort();
    await Promise.all(adopters);
    expect([...published.values()]).toEqual(quoteIds.map(() => 1));
  });
});

describe('the id of payment.completed', () => {
  it('follows from the quote id, as documented, and is a UUID like any other', async () => {
    const quoteId = randomUUID();
    await one.payments.add(adopted(quoteId));
    const page = await one.payments.eventsOf(quoteId);
    const ids = (page?.events ?? []).map((body) => (JSON.parse(body) as { id: string }).id);
    expect(ids).toEqual([expect.stringMatching(/^.{8}-.{4}-7/), uuidv5(quoteId, COMPLETED_IDS)]);
  });
});
