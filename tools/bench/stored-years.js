/** Payments of years with all their rows, made by PostgreSQL itself. */

import { once } from 'node:events';

import { withoutIndexes } from './bulk-load.js';
import { pause } from './pause.js';

const CHUNK = 20_000;
const LOADERS = 2;
const DAYS = 90;
/** Largest indexes first. */
export const TABLES = [
  'delivery',
  'payment_text',
  'event_entry',
  'payment_quote',
  'payment',
  'payment_schedule',
];
/** Everything about payment n is made of hashes of n, so that the bench knows what to ask for. */
export const IDS = `
  md5('quote' || n)::uuid::text AS quote_id, CASE WHEN n % 1000 = 7 THEN 'A-many' ELSE 'A-' || n END AS order_id,
  '0x' || md5('address' || n) || left(md5(n || 'address'), 8) AS deposit_address,
  '0x' || md5('deposit' || n) || md5(n || 'deposit') AS deposit_hash,
  '0x' || md5('output' || n) || md5(n || 'output') AS output_hash,
  '0x' || md5('wallet' || n % 1000) || left(md5(n % 1000 || 'wallet'), 8) AS recipient`;

/**
 * All have four events at two endpoints, 23 rows, and bodies of 0.4 to 1.1 kB. The small ones have the first and the last event at
 * one endpoint, 9 rows, and bodies of up to 200 bytes.
 * @typedef {{ steps: number[], endpoints: number, bodies: Bodies, everyones: string }} Shape
 */

/**
 * Of the payments the newest are open; of a hundred others 90 are completed, 6 expired and 4 failed. One of a thousand belongs to
 * one order, one of ten thousand has a failed delivery, one of a thousand was late, and one of a thousand had an anomaly, which a
 * person has resolved for every other. One of a hundred open ones is stalled.
 * @param {import('./database.js').Database} database
 * @param {{ payments: number, open: number, shape: Shape }} counts
 */
export async function addStoredYears(database, { payments, open, shape }) {
  await database.pool.query(ADD_ENDPOINTS, [shape.endpoints]);
  const chunks = Array.from({ length: Math.ceil(payments / CHUNK) }, (_, chunk) => chunk * CHUNK + 1);
  const load = async () => {
    const client = await database.pool.connect();
    client.on('notice', () => undefined);
    try {
      await client.query('SET synchronous_commit = off');
      for (let first = chunks.shift(); first !== undefined; first = chunks.shift()) {
        const range = [first, Math.min(first + CHUNK - 1, payments), payments, open];
        await client.query(addPayments(shape), range);
        // Ctrl-C ends it here.
        await pause(0);
      }
    } finally {
      client.release(true);
      if (!client.closed) await once(client, 'end').catch(() => undefined);
    }
  };
  await withoutIndexes(database.pool, TABLES, async () => {
    await Promise.all(Array.from({ length: LOADERS }, load));
  });
  for (const [table, column] of [
    ['payment', 'id'],
    ['event_entry', 'position'],
    ['delivery', 'id'],
  ])
    await database.pool.query(
      `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), (SELECT max(${column}) FROM ${table}))`,
    );
  await database.pool.query('VACUUM ANALYZE');
}

const ADD_ENDPOINTS = `
  INSERT INTO destination (id, kind, enabled, url, created_at)
  SELECT ('00000000-0000-4000-8000-00000000000' || n)::uuid, 'webhook', true, 'http://127.0.0.1:9/' || n, now()
  FROM generate_series(1, $1::int) n`;

/** Payments $1 to $2 of $3, of which the last $4 are open. */
function addPayments(/** @type {Shape} */ { steps, endpoints, bodies }) {
  return `
  WITH numbered AS MATERIALIZED (
    SELECT n, now() - ($3::int - n) * interval '${DAYS} days' / $3::int AS made_at, n > $3::int - $4::int AS is_open,
      (ARRAY['COMPLETED', 'FAILED', 'EXPIRED'])[
        CASE WHEN n % 100 < 90 THEN 1 WHEN n % 100 < 94 THEN 2 ELSE 3 END] AS ended, ${IDS}
    FROM generate_series($1::int, $2::int) n
  ), happened AS MATERIALIZED (
    SELECT numbered.*, step, type, status, (n - 1) * 4::bigint + step AS position, md5(step || 'event' || n)::uuid AS event_id
    FROM numbered CROSS JOIN (VALUES (1, 'payment.created', 'AWAITING_DEPOSIT'),
      (2, 'payment.deposit_received', 'DEPOSIT_RECEIVED'), (3, 'payment.executing', 'EXECUTING'),
      (4, 'payment.completed', 'COMPLETED')) s (step, type, status)
    WHERE step = ANY ('{${steps.join()}}') ORDER BY n, step
  ), paid AS (
    INSERT INTO payment (id, quote_id, order_id, metadata, status, late, sequence, tracking, created_at, expires_at,
      updated_at, progress_at, ended_at, part_digests, report_digest, stalls, contradictions, last_polled_at,
      resolution)
    OVERRIDING SYSTEM VALUE
    SELECT n, quote_id, order_id, '{"shop":"bench"}', CASE WHEN is_open THEN 'EXECUTING' ELSE ended END, n % 1000 = 3, 4,
      CASE WHEN is_open THEN 'active' ELSE 'closed' END, made_at, made_at + interval '300 s', made_at + interval '40 s',
      made_at, CASE WHEN NOT is_open THEN made_at + interval '40 s' END,
      left(md5(order_id), 22) || '|||' || left(md5(quote_id), 22), left(md5(quote_id || order_id), 22),
      CASE WHEN is_open AND n % 100 = 1 THEN '{no_progress}' ELSE '{}' END::text[],
      CASE WHEN n % 1000 = 5 THEN '{unknown_status:PAUSED}' ELSE '{}' END::text[], made_at + interval '40 s',
      CASE WHEN n % 2000 = 5 THEN '{"reason":"other","note":null,"by":"bench","at":"2026-11-20T12:00:00.000Z"}' END
    FROM numbered
  ), scheduled AS (
    INSERT INTO payment_schedule
      (provider, payment_id, quote_id, report_digest, due_at, interval_ms, urgency, polled_at, unchanged_until)
    SELECT 'http', n, quote_id, left(md5(quote_id || order_id), 22), now() + random() * interval '7 s', 7000,
      (ARRAY['in_flight', 'attended', 'unattended', 'unattended'])[1 + n % 4]::poll_urgency, now(), now() + interval '1 day'
    FROM numbered WHERE is_open
  ), quoted AS (
    INSERT INTO payment_quote (payment_id, body) SELECT n, ${bodies.quote} FROM numbered
  ), written AS (
    SELECT n, array_agg(${bodies.envelope} ORDER BY step) AS bodies FROM happened GROUP BY n
  ), kept AS (
    INSERT INTO payment_text (payment_id, texts, reported_at)
    SELECT n, ARRAY[${bodies.report}] || bodies, made_at + interval '40 s'
    FROM numbered JOIN written USING (n) CROSS JOIN (SELECT 4 AS step, 'COMPLETED' AS status) s
  ), recorded AS (
    INSERT INTO event_entry (position, id, payment_id, sequence, type, time, slot)
    OVERRIDING SYSTEM VALUE
    SELECT position, event_id, n, step, type, made_at + step * interval '10 s',
      row_number() OVER (PARTITION BY n ORDER BY step) + 1
    FROM happened
  )
  INSERT INTO delivery (id, destination_id, payment_id, event_position, sequence, state, lane_state, token, attempts,
    retries, last_attempt_at, last_http_status, created_at, attempt_made_at, attempt_ms, attempt_address,
    attempt_excerpt)
  OVERRIDING SYSTEM VALUE
  SELECT position * 2 - 2 + endpoint, ('00000000-0000-4000-8000-00000000000' || endpoint)::uuid, n, position, step,
    CASE WHEN n % 10000 = 9 AND endpoint = 1 AND step = 4 THEN 'failed' ELSE 'delivered' END, 'head', 2, 1, 1,
    made_at + step * interval '10 s', 200, made_at + step * interval '10 s',
    made_at + step * interval '10 s', 12, '127.0.0.1:9', 'ok'
  FROM happened CROSS JOIN generate_series(1, ${endpoints}) endpoint`;
}

const HEAD = `'{"specversion":"1.0","id":"' || event_id || '","source":"paybell","type":"' || type`;

/** @typedef {{ quote: string, report: string, envelope: string }} Bodies */

/** @type {Shape} */
export const SMALL = {
  steps: [1, 4],
  endpoints: 1,
  bodies: {
    quote: `format('{"quoteId":"%s","depositAddress":"%s","recipient":"%s","token":"base-usdc-8453"}', quote_id, deposit_address, recipient)`,
    report: `format('{"quoteId":"%s","depositAddress":"%s","outputTxHash":"%s"}', quote_id, deposit_address, output_hash)`,
    envelope: `${HEAD} || '","subject":"' || quote_id || '","data":{"sequence":' || step || '}}'`,
  },
  everyones: 'base-usdc-8453',
};

const USUAL_REPORT = `format('{"success":true,"quoteId":"%s","status":"%s","createdAt":1760000000,"expiresAt":2000000000,'
  '"depositAddress":"%s","deposit":%s,"gas":null,"execution":{"startedAt":%s,"completedAt":%s,"outputTxHash":%s,"steps":[%s]},'
  '"route":{"from":{"chainId":8453,"chainName":"Base","token":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"},'
  '"to":{"chainId":42161,"chainName":"Arbitrum One","token":"0xaf88d065e77c8cc2239327c5edb3a432268e5831"},'
  '"amount":"250000000","recipient":"%s"},"error":null}', quote_id, status, deposit_address,
  CASE WHEN step > 1 THEN '{"txHash":"' || deposit_hash || '","amount":"250000000","confirmations":12}' ELSE 'null' END,
  CASE WHEN step > 2 THEN '1760000060' ELSE 'null' END, CASE WHEN step > 3 THEN '1760000090' ELSE 'null' END,
  CASE WHEN step > 3 THEN '"' || output_hash || '"' ELSE 'null' END,
  CASE WHEN step > 2 THEN '{"kind":"bridge","status":"done"}' ELSE '' END, recipient)`;

/** @type {Shape} */
export const USUAL = {
  steps: [1, 2, 3, 4],
  endpoints: 2,
  bodies: {
    quote: `format('{"success":true,"quoteId":"%s","expiresIn":300,"send":{"amount":"25.42","amountRaw":"25420000",'
      '"depositAddress":"%s","chainId":8453,"chainName":"Base","token":{"address":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",'
      '"symbol":"USDC","name":"USD Coin","decimals":6}},"receive":{"amount":"25.31","amountRaw":"25310000","minAmount":"25.18",'
      '"chainId":42161,"chainName":"Arbitrum One","token":{"address":"0xaf88d065e77c8cc2239327c5edb3a432268e5831",'
      '"symbol":"USDC","name":"USD Coin","decimals":6}},"recipient":"%s","fees":{"gas":"0.02","relayer":"0.07","app":"0.02",'
      '"totalUsd":"0.11"},"estimatedTime":30,"steps":["deposit","bridge"],"statusUrl":"https://pay.example/api/status/%s",'
      '"depositNote":"Send exactly this amount of this token on this chain. Other deposits may be lost."}',
      quote_id, deposit_address, recipient, quote_id)`,
    report: USUAL_REPORT,
    envelope: `${HEAD} || '","subject":"' || quote_id || '","time":"2026-11-20T12:00:00.000Z","datacontenttype":"application/json",'
      '"data":{"quoteId":"' || quote_id || '","orderId":"' || order_id || '","metadata":{"shop":"bench"},"sequence":' || step
      || ',"status":"' || status || '","previousStatus":null,"late":false,"payment":'
      || CASE WHEN step > 1 THEN ${USUAL_REPORT} ELSE 'null' END || '}}'`,
  },
  everyones: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
};
