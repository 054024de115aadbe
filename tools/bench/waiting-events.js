/** Events that wait for their webhook endpoints, as after a time in which Paybell or the endpoints were away. */
import { randomUUID } from 'node:crypto';

import { v7 as uuidV7 } from 'uuid';

import { pause } from './pause.js';
import { reportText, STEPS } from './reports.js';
import { service } from './service-modules.js';

const { stampEvent } = service;

const CHUNK = 1_000;
const METADATA = { shop: 'bench' };

/** The events of one payment from its beginning to its end. */
export const WHOLE_LIFE = [
  'payment.created',
  'payment.deposit_received',
  'payment.executing',
  'payment.updated',
  'payment.completed',
];

/**
 * Adds closed payments, each with one event of each of `types` in this order, and a delivery to every endpoint that takes the
 * type. The service's own function records them, so that the first delivery of each lane is due and the others wait.
 * @param {import('./database.js').Database} database
 * @param {number} payments
 * @param {string[]} types
 */
export async function addWaitingEvents(database, payments, types) {
  for (let done = 0; done < payments; done += CHUNK) {
    const quoteIds = Array.from({ length: Math.min(CHUNK, payments - done) }, () => randomUUID());
    const { rows } = await database.pool.query(ADD_PAYMENTS, [quoteIds, types.length]);
    const events = rows.flatMap(({ id, quote_id: quoteId }) =>
      types.map((type, index) => ({
        paymentId: id,
        ...eventOf(quoteId, type, index + 1),
      })),
    );
    const columns = /** @type {const} */ (['id', 'paymentId', 'sequence', 'type', 'body']);
    await database.pool.query(
      RECORD,
      columns.map((column) => events.map((event) => event[column])),
    );
    // Ctrl-C ends it here.
    await pause(0);
  }
  await database.pool.query('VACUUM ANALYZE payment, event_entry, payment_text, delivery');
}

function eventOf(/** @type {string} */ quoteId, /** @type {any} */ type, /** @type {number} */ sequence) {
  const step = Math.min(sequence - 1, STEPS.length - 1);
  const draft = {
    type,
    sequence,
    status: /** @type {any} */ (STEPS[step]),
    previousStatus: null,
    late: false,
    reportText: reportText(quoteId, step),
  };
  const payment = /** @type {any} */ ({ quoteId, orderId: `A-${quoteId.slice(0, 8)}`, metadata: METADATA });
  return stampEvent(draft, payment, null, { id: uuidV7(), source: 'paybell', time: new Date() });
}

const ADD_PAYMENTS = `
  INSERT INTO payment (provider, quote_id, order_id, metadata, status, late, sequence, tracking, created_at, updated_at, progress_at,
    ended_at, part_digests, report_digest, stalls, contradictions)
  SELECT 'http', quote_id, 'A-' || left(quote_id, 8), '{"shop":"bench"}', 'COMPLETED', false, $2, 'closed', now(), now(), now(),
    now(), '|||', '', '{}', '{}' FROM unnest($1::text[]) AS t (quote_id)
  RETURNING id, quote_id`;

const RECORD = `
  SELECT record_events($1::uuid[], $2::bigint[], $3::int[], $4::text[], $5::text[], '{}', now(), '{}', '{}', '[]')`;
