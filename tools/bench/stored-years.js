/** Payments of years with all their rows, made by PostgreSQL itself: 23 rows each, all events delivered to two endpoints. */

import { once } from 'node:events';

import { pause } from './pause.js';

const CHUNK = 20_000;
const DAYS = 90;
/** Everything about payment n is made of hashes of n, so that the bench knows what to ask for. */
export const IDS = `
  md5('quote' || n)::uuid::text AS quote_id, 'A-' || n AS order_id,
  '0x' || md5('address' || n) || left(md5(n || 'address'), 8) AS deposit_address,
  '0x' || md5('deposit' || n) || md5(n || 'deposit') AS deposit_hash,
  '0x' || md5('output' || n) || md5(n || 'output') AS output_hash,
  '0x' || md5('wallet' || n % 1000) || left(md5(n % 1000 || 'wallet'), 8) AS recipient`;

/**
 * Of the payments the newest are open; of a hundred others 90 are completed, 6 expired and 4 failed. `small` bodies have up to
 * 200 bytes, the others 0.4 to 1.1 kB.
 * @param {import('./database.js').Database} database
 * @param {{ payments: number, open: number, small: boolean }} counts
 */
export async function addStoredYears(database, { payments, open, small }) {
  await database.pool.query(ADD_ENDPOINTS);
  const chunks = Array.from({ length: Math.ceil(payments / CHUNK) }, (_, chunk) => chunk * CHUNK + 1);
  const loaders = [1, 2].map(async () => {
    const client = await database.pool.connect();
    client.on('notice', () => undefined);
    try {
      // Foreign keys are right by construction.
      await client.query('SET session_replication_role = replica; SET synchronous_commit = off');
      for (let first = chunks.shift(); first !== undefined; first = chunks.shift()) {
        const range = [first, Math.min(first + CHUNK - 1, payments), payments, open];
        await client.query(ADD_PAYMENTS, range);
        const reports = small ? SMALL : USUAL;
        for (const statement of [ADD_REPORTS, ADD_EVENTS])
          await client.query(withBodies(statement, reports), range.slice(0, 3));
        await client.query(ADD_DELIVERIES, range.slice(0, 3));
        await client.query(ADD_ATTEMPTS, range.slice(0, 3));
        // Ctrl-C ends it here.
        await pause(0);
      }
    } finally {
      client.release(true);
      if (!client.closed) await once(client, 'end').catch(() => undefined);
    }
  });
  await Promise.all(loaders);
  for (const [table, column] of [
    ['payment', 'id'],
    ['event', 'position'],
    ['delivery', 'id'],
  ])
    await database.pool.query(
      `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), (SELECT max(${column}) FROM ${table}))`,
    );
}

/** @param {string} statement @param {{ report: string, quote: string, envelope: string }} bodies */
function withBodies(statement, { report, quote, envelope }) {
  return statement.replaceAll('REPORT', report).replaceAll('QUOTE', quote).replaceAll('ENVELOPE', envelope);
}

const ADD_ENDPOINTS = `
  INSERT INTO destination (id, kind, enabled, url, created_at)
  SELECT ('00000000-0000-4000-8000-00000000000' || n)::uuid, 'webhook', true, 'http://127.0.0.1:9/' || n, now() FROM generate_series(1, 2) n`;

const NUMBERED = `
  numbered AS (
    SELECT n, now() - ($3 - n) * interval '${DAYS} days' / $3 AS made_at, ${IDS} FROM generate_series($1::int, $2::int) n
  )`;

const ADD_PAYMENTS = `
  WITH ${NUMBERED}, sorted AS (
    SELECT *, n > $3 - $4::int AS is_open, (ARRAY['COMPLETED', 'FAILED', 'EXPIRED'])[
      CASE WHEN n % 100 < 90 THEN 1 WHEN n % 100 < 94 THEN 2 ELSE 3 END] AS ended FROM numbered
  ), paid AS (
    INSERT INTO payment (id, quote_id, order_id, metadata, status, late, sequence, tracking, created_at, expires_at, updated_at,
      progress_at, ended_at, part_digests, report_digest, stalls, contradictions, last_polled_at)
    OVERRIDING SYSTEM VALUE
    SELECT n, quote_id, order_id, '{"shop":"bench"}', CASE WHEN is_open THEN 'EXECUTING' ELSE ended END, false, 4,
      CASE WHEN is_open THEN 'active' ELSE 'closed' END, made_at, made_at + interval '300 s', made_at + interval '40 s', made_at,
      CASE WHEN NOT is_open THEN made_at + interval '40 s' END, left(md5(order_id), 22) || '|||' || left(md5(quote_id), 22),
      left(md5(quote_id || order_id), 22), '{}', '{}', made_at + interval '40 s'
    FROM sorted
  )
  INSERT INTO payment_schedule (payment_id, quote_id, report_digest, due_at, interval_ms, urgency, polled_at, unchanged_until)
  SELECT n, quote_id, left(md5(quote_id || order_id), 22), now() + random() * interval '7 s', 7000,
    (ARRAY['in_flight', 'attended', 'unattended', 'unattended'])[1 + n % 4]::poll_urgency, now(), now() + interval '1 hour'
  FROM sorted WHERE is_open`;

const ADD_REPORTS = `
  WITH ${NUMBERED}, quoted AS (INSERT INTO payment_quote (payment_id, body) SELECT n, QUOTE FROM numbered)
  INSERT INTO payment_report (payment_id, body, reported_at)
  SELECT n, REPORT, made_at + interval '40 s' FROM numbered CROSS JOIN (SELECT 4 AS step, 'COMPLETED' AS status) s`;

const ADD_EVENTS = `
  WITH ${NUMBERED}
  INSERT INTO event (position, id, payment_id, sequence, type, time, body)
  OVERRIDING SYSTEM VALUE
  SELECT (n - 1) * 4::bigint + step, md5(step || 'event' || n)::uuid, n, step, type, made_at + step * interval '10 s', ENVELOPE
  FROM numbered CROSS JOIN (VALUES (1, 'payment.created', 'AWAITING_DEPOSIT'), (2, 'payment.deposit_received', 'DEPOSIT_RECEIVED'),
    (3, 'payment.executing', 'EXECUTING'), (4, 'payment.completed', 'COMPLETED')) s (step, type, status)
  ORDER BY n, step`;

const ADD_DELIVERIES = `
  WITH ${NUMBERED}
  INSERT INTO delivery (id, destination_id, payment_id, event_position, sequence, state, lane_state, token, attempts, retries,
    last_attempt_at, last_http_status, created_at)
  OVERRIDING SYSTEM VALUE
  SELECT (n - 1) * 8::bigint + (step - 1) * 2 + endpoint, ('00000000-0000-4000-8000-00000000000' || endpoint)::uuid, n, (n - 1) * 4::bigint + step, step,
    'delivered', 'head', 2, 1, 1, made_at + step * interval '10 s', 200, made_at + step * interval '10 s'
  FROM numbered CROSS JOIN generate_series(1, 4) step CROSS JOIN generate_series(1, 2) endpoint
  ORDER BY n, step, endpoint`;

const ADD_ATTEMPTS = `
  WITH ${NUMBERED}
  INSERT INTO attempt (delivery_id, number, made_at, duration_ms, address, http_status, excerpt)
  SELECT (n - 1) * 8::bigint + each, 1, made_at, 12, '127.0.0.1:9', 200, 'ok'
  FROM numbered CROSS JOIN generate_series(1, 8) each ORDER BY n, each`;

const HEAD = `'{"specversion":"1.0","id":"' || md5(step || 'event' || n)::uuid || '","source":"paybell","type":"' || type`;

const SMALL = {
  quote: `format('{"quoteId":"%s","send":{"depositAddress":"%s"},"recipient":"%s"}', quote_id, deposit_address, recipient)`,
  report: `format('{"quoteId":"%s","depositAddress":"%s","outputTxHash":"%s"}', quote_id, deposit_address, output_hash)`,
  envelope: `${HEAD} || '","subject":"' || quote_id || '","data":{"sequence":' || step || '}}'`,
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

const USUAL = {
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
};
