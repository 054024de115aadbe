/** The time of delivery claims among a million deliveries and a thousand endpoints, with the service's own store. */
import { DataSource } from 'typeorm';

import { percentile, shown } from './figures.js';
import { pause } from './pause.js';
import { onDatabase } from './scene.js';
import { service } from './service-modules.js';
import { addStoredDeliveries } from './stored-deliveries.js';

const { dataSourceOptions, Queries, PostgresDeliveries } = service;

const DELIVERIES = 1_000_000;
const ENDPOINTS = 1_000;
/** The most deliveries in flight at a dispatcher, in all and for each endpoint. */
const TOTAL = 600;
const PER_TARGET = 10;
const LEASE_MS = 20_000;
/** How often a dispatcher asks which targets have due deliveries. */
const PROBE_EVERY_MS = 500;
const MOST_MS = 5;
const WARM_UP_MS = 5_000;
const MEASURED_MS = 15_000;
const MOST_FILLING_MS = 120_000;

/** How many deliveries are due, and at how many endpoints, in equal shares. */
const BACKLOG = { due: 1_000, at: 50 };
/** A full claim, each delivery at another endpoint. */
const FULL = { due: 200, at: 200 };

/** @typedef {{ claims: number[], probes: number[], rows: number }} Times */

/** @param {import('./scene.js').Place} place */
export function measureDeliveryClaims(place) {
  return onDatabase(place, async (database, cleanup) => {
    const startedAt = performance.now();
    await addStoredDeliveries(database, { deliveries: DELIVERIES, endpoints: ENDPOINTS });
    const fillingMs = performance.now() - startedAt;
    if (fillingMs > MOST_FILLING_MS) throw new Error(`filling took ${shown(fillingMs / 1_000)} s`);
    const deliveries = await open(database.url, cleanup);
    const { rows } = await database.pool.query(`SELECT id FROM destination WHERE kind = 'webhook'`);
    const endpointIds = rows.map((row) => row.id);
    const measure = async (/** @type {{ due: number, at: number }} */ kind) => {
      await makeDue(database, turned(endpointIds).slice(0, kind.at), kind.due / kind.at);
      await claimFor(deliveries, database, endpointIds, WARM_UP_MS);
      return claimFor(deliveries, database, endpointIds, MEASURED_MS);
    };
    const among = `${DELIVERIES.toLocaleString('en-US')} deliveries, ${shown(ENDPOINTS)} endpoints`;
    return [
      ...figuresOf(`claim among ${among}`, BACKLOG, await measure(BACKLOG)),
      ...figuresOf('the same', FULL, await measure(FULL)),
    ];
  });
}

/** @param {string} url @param {(() => Promise<unknown>)[]} cleanup */
async function open(url, cleanup) {
  const source = await new DataSource(dataSourceOptions(url, 2)).initialize();
  cleanup.push(() => source.destroy());
  const queries = new Queries(source);
  queries.open();
  return new PostgresDeliveries(queries);
}

/** The slots that an idle dispatcher requests: a whole share for the first endpoints, and one slot for each other endpoint. */
function slotsFor(/** @type {string[]} */ endpointIds) {
  let left = TOTAL;
  return turned(endpointIds).map((destinationId) => {
    const free = Math.max(1, Math.min(PER_TARGET, left));
    left -= free;
    return { destinationId, free, isProbe: false };
  });
}

/** Begins at another place each time. */
function turned(/** @type {string[]} */ ids) {
  const start = Math.floor(Math.random() * ids.length);
  return [...ids.slice(start), ...ids.slice(0, start)];
}

/**
 * Looks up the targets with due deliveries and claims for them, repeatedly. After each claim the same number of other
 * deliveries becomes due.
 * @param {PostgresDeliveries} deliveries
 * @param {import('./database.js').Database} database
 * @param {string[]} endpointIds
 * @param {number} durationMs
 */
async function claimFor(deliveries, database, endpointIds, durationMs) {
  /** @type {Times} */
  const times = { claims: [], probes: [], rows: 0 };
  const until = performance.now() + durationMs;
  while (performance.now() < until) {
    const startedAt = performance.now();
    const due = await deliveries.dueWithin(endpointIds, PROBE_EVERY_MS);
    times.probes.push(performance.now() - startedAt);
    const slots = slotsFor(due.map(({ targetId }) => targetId));
    const claimingAt = performance.now();
    const claimed = await deliveries.claim(slots, LEASE_MS);
    times.claims.push(performance.now() - claimingAt);
    times.rows += claimed.length;
    if (claimed.length === 0) throw new Error('nothing was due');
    await replace(database, claimed);
    await pause(0);
  }
  return times;
}

/** Delivers the claimed deliveries, and makes the same number of others of each endpoint due, drawn at random. */
async function replace(
  /** @type {import('./database.js').Database} */ database,
  /** @type {{ id: string, destinationId: string }[]} */ claimed,
) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { destinationId } of claimed) counts.set(destinationId, (counts.get(destinationId) ?? 0) + 1);
  const afters = Array.from(counts, () => Math.floor(Math.random() * DELIVERIES));
  await database.pool.query(DELIVERED, [claimed.map(({ id }) => id)]);
  await database.pool.query(OTHERS_DUE, [[...counts.keys()], [...counts.values()], afters]);
}

/** Makes exactly this many deliveries of each of these endpoints due. */
async function makeDue(
  /** @type {import('./database.js').Database} */ database,
  /** @type {string[]} */ endpointIds,
  /** @type {number} */ each,
) {
  await database.pool.query(LATER);
  await database.pool.query(NOW, [endpointIds, each]);
  await database.pool.query('VACUUM ANALYZE delivery');
}

function figuresOf(
  /** @type {string} */ name,
  /** @type {{ due: number, at: number }} */ { due, at },
  /** @type {Times} */ { claims, probes, rows },
) {
  return [
    ...shownTimes(`${name}, ${shown(due)} due at ${at} of them`, claims),
    { figure: '… deliveries a claim', value: rows / claims.length },
    ...shownTimes('… which of all targets have due deliveries', probes),
  ];
}

function shownTimes(/** @type {string} */ name, /** @type {number[]} */ times) {
  return [
    { figure: `${name}, p50`, value: percentile(times, 0.5), unit: 'ms', most: MOST_MS },
    { figure: '… p99', value: percentile(times, 0.99), unit: 'ms', most: MOST_MS },
  ];
}

const LATER = `
  UPDATE delivery SET due_at = now() + interval '1 hour', leased = false
  WHERE due_at < now() + interval '5 minutes'`;

const NOW = `
  UPDATE delivery SET due_at = now() - random() * interval '1 second'
  WHERE id = ANY (ARRAY(
    SELECT chosen.id FROM unnest($1::uuid[]) AS endpoint (id),
    LATERAL (
      SELECT id FROM delivery WHERE destination_id = endpoint.id AND due_at IS NOT NULL ORDER BY due_at LIMIT $2::int
    ) chosen))`;

const DELIVERED = `
  UPDATE delivery SET state = 'delivered', due_at = NULL, leased = false WHERE id = ANY ($1::bigint[])`;

const OTHERS_DUE = `
  UPDATE delivery SET state = 'pending', due_at = now()
  WHERE id = ANY (ARRAY(
    SELECT chosen.id FROM unnest($1::uuid[], $2::int[], $3::bigint[]) AS endpoint (id, count, after),
    LATERAL (
      (SELECT id FROM delivery
       WHERE destination_id = endpoint.id AND state = 'delivered' AND id > endpoint.after
       ORDER BY id LIMIT endpoint.count)
      UNION ALL
      (SELECT id FROM delivery
       WHERE destination_id = endpoint.id AND state = 'delivered' AND id <= endpoint.after
       ORDER BY id LIMIT endpoint.count)
      LIMIT endpoint.count
    ) chosen))`;
