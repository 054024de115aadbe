import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { findNeedy, findUntold } from '../../src/database/payments/list-candidates.ts';
import { PAYMENT_TROUBLES } from '../../src/domain/attention/payment-troubles.ts';
import { NOBODY } from '../../src/domain/event/told.ts';
import { tellPayment } from '../../src/domain/story/tell-payment.ts';
import type { SaidDelivery } from '../../src/domain/story/untold-events.ts';
import type { TestDatabase } from '../support/database.ts';
import type { Story } from '../../src/domain/story/story.ts';
import { reachablePayments, storyOf, type Reached } from '../support/reachable-payments.ts';
import { addDestination, emptyTables, OF_PAYMENTS, openReplicas } from '../support/replicas.ts';
import type { Stores } from '../support/stores.ts';

let db: TestDatabase;
let stores: Stores;

beforeAll(async () => {
  ({ db, one: stores } = await openReplicas());
});

/** The columns on which the needs of a payment depend; the quote id is its place in the list. */
async function store(payments: readonly Reached[]): Promise<void> {
  const rows = payments.map(({ payment, verification, events, now }, place) => {
    const began = events.find(({ data }) => data.verification !== undefined)?.time;
    const { status, late, tracking, stalls, contradictions, resolution, match, reportDigest } = payment;
    return {
      place,
      status,
      late,
      tracking,
      stalls,
      contradictions,
      resolution: resolution === null ? null : JSON.stringify(resolution),
      match,
      digest: reportDigest,
      // A report that has taken the completion back leaves the former proof.
      proof: verification?.state ?? (began === undefined ? null : 'unverified'),
      proven_digest: verification === null ? 'former' : reportDigest,
      verification: verification === null ? null : JSON.stringify(verification),
      ago: began === undefined ? 0 : now - Date.parse(began),
    };
  });
  await db.query(
    `WITH given AS MATERIALIZED (
       SELECT * FROM json_to_recordset($1) AS g (place int, status text, late boolean, tracking text, stalls text[],
         contradictions text[], resolution text, match text, digest text, proof text, proven_digest text, verification text, ago bigint)
     ), added AS (
       INSERT INTO payment (provider, quote_id, status, late, sequence, tracking, created_at, updated_at, progress_at, part_digests,
         report_digest, stalls, contradictions, resolution, match)
       SELECT 'http', place, status, late, 1, tracking, now(), now(), now(), '', digest, stalls, contradictions, resolution, match
       FROM given RETURNING id, quote_id
     )
     INSERT INTO payment_proof (payment_id, state, report_digest, verification, began_at)
     SELECT a.id, g.proof, g.proven_digest, g.verification, now() - g.ago * interval '1 millisecond'
     FROM given g JOIN added a ON a.quote_id = g.place::text WHERE g.proof IS NOT NULL`,
    [JSON.stringify(rows)],
  );
}

describe('every payment that the rules let come about', () => {
  it('stands in the card of Attention whose advice its page gives, and in none where its page gives no advice', async () => {
    const all = reachablePayments().map(({ reached }) => reached);
    await store(all);
    const ids = await db.query<{ id: string; place: string }>(
      'SELECT id::text, quote_id AS place FROM payment',
    );
    const places = new Map(ids.map(({ id, place }) => [id, Number(place)]));
    const cards = new Map<number, string>();
    for (const trouble of PAYMENT_TROUBLES)
      for (const id of await findNeedy(stores.database.reads, trouble, stores.rules))
        cards.set(places.get(id) ?? -1, trouble);
    const odd = all.flatMap((reached, place) => {
      const { need, story } = tellPayment(storyOf(reached));
      const card = cards.get(place) ?? null;
      return card === need ? [] : [{ card, need, story }];
    });
    expect(odd.slice(0, 5)).toEqual([]);
    expect(new Set(cards.values()).size).toBe(PAYMENT_TROUBLES.length - 1);
  });
});

interface Sent {
  readonly to: 'shop' | 'disabled' | 'deleted' | 'nobody';
  readonly state: 'delivered' | 'pending' | 'failed' | 'discarded';
  readonly ageS: 1 | 31;
}

const TO_ENDPOINTS = (['shop', 'disabled', 'deleted'] as const).flatMap((to) =>
  (['delivered', 'pending', 'failed', 'discarded'] as const).map((state) => ({ to, state })),
);
const SENT: readonly Sent[] = [...TO_ENDPOINTS, { to: 'nobody', state: 'discarded' } as const].flatMap(
  (sent) => ([1, 31] as const).map((ageS) => ({ ...sent, ageS })),
);

const SEQUENCES = [
  [1, 1],
  [1, 2],
] as const;
/** Two deliveries of a payment, of one event or of two. */
const PAIRS = SENT.flatMap((one) =>
  SENT.flatMap((other) =>
    SEQUENCES.map((sequences) => [one, other].map((sent, at) => ({ ...sent, sequence: sequences[at] ?? 1 }))),
  ),
);

describe('a payment with two deliveries, whatever became of them', () => {
  it.each([null, 'released', 'refunded'])(
    'is untold where its page says what to do about its receivers, resolved as %s',
    async (reason) => {
      await emptyTables(db, ...OF_PAYMENTS);
      const shop = await addDestination(db);
      const disabled = await addDestination(db, { enabled: false });
      const ids = { shop, disabled, deleted: randomUUID(), nobody: NOBODY };
      const rows = PAIRS.flatMap((pair, place) =>
        pair.map(({ to, ...sent }) => ({ ...sent, place, to: ids[to], event: place * 2 + sent.sequence })),
      );
      await db.query(
        `WITH given AS MATERIALIZED (
         SELECT * FROM json_to_recordset($1) AS g (place int, "to" uuid, state text, "ageS" int, sequence int, event int)
       ), added AS (
         INSERT INTO payment (provider, quote_id, status, late, sequence, tracking, created_at, updated_at, progress_at, part_digests,
           report_digest, stalls, contradictions, resolution)
         SELECT DISTINCT 'http', place::text, 'COMPLETED', false, 1, 'closed', now(), now(), now(), '', '', '{}'::text[], '{}'::text[], $2
         FROM given RETURNING id, quote_id
       )
       INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state, created_at)
       SELECT g."to", a.id, g.event, g.sequence, g.state, 'head', now() - g."ageS" * interval '1 second'
       FROM given g JOIN added a ON a.quote_id = g.place::text`,
        [JSON.stringify(rows), reason === null ? null : JSON.stringify({ reason })],
      );
      const untold = await db.query<{ place: string }>(
        'SELECT quote_id AS place FROM payment WHERE id = ANY ($1::bigint[])',
        [await findUntold(stores.database.reads, 10_000)],
      );
      const counted = new Set(untold.map(({ place }) => Number(place)));
      const odd = PAIRS.flatMap((pair, place) => {
        const { need, story } = tellPayment(storyOfPair(pair, ids, reason));
        return counted.has(place) === (need === 'untold') ? [] : [{ pair, need, story }];
      });
      expect(odd.slice(0, 5)).toEqual([]);
      expect(counted.size > 100).toBe(reason !== 'refunded');
    },
  );
});

function storyOfPair(
  pair: readonly (Sent & { readonly sequence: number })[],
  ids: Readonly<Record<Sent['to'], string>>,
  reason: string | null,
): Story {
  const now = Date.now();
  const deliveries = pair.map(({ to, state, ageS, sequence }): SaidDelivery => ({
    endpointId: ids[to],
    type: 'payment.completed',
    sequence,
    state,
    attemptCount: state === 'failed' ? 16 : 0,
    nextAttemptAt: null,
    lastFailure: null,
    lastHttpStatus: null,
    waitingFor: to === 'disabled' ? 'disabled_endpoint' : null,
    createdAt: new Date(now - ageS * 1_000).toISOString(),
  }));
  const resolution = reason === null ? null : { reason, note: null, by: 'anna', at: '' };
  const at = { createdAt: '', expiresAt: null };
  const payment = { status: 'COMPLETED', late: false, tracking: 'closed', ...at, resolution };
  const destinations = new Map([
    [ids.shop, 'shop'],
    [ids.disabled, 'disabled'],
  ]);
  const clock = (instant: string): string => instant;
  return { payment, events: [], deliveries, alsoPaidBy: [], destinations, now, clock };
}
