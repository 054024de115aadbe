import { NOBODY } from '../../domain/event/told.ts';
import { spellingsOf } from '../../domain/payment/reading.ts';
import {
  DELIVERY_STATES,
  type DeliveryConditions,
  type DeliveryFilter,
  type LoggedDelivery,
} from '../../ports/delivery-log.ts';
import type { ListSort } from '../../ports/list-sort.ts';
import { SETTLED } from './bounded-reading.ts';
import { readCursor, writeCursor } from '../connection/cursor.ts';
import type { Queries } from '../../ports/queries.ts';
import {
  DELIVERY_COLUMNS,
  DELIVERY_TABLES,
  deliveryOf,
  isOfEndpoint,
  type DeliveryRow,
} from './delivery-row.ts';
import type { DestinationKinds } from '../../ports/destinations.ts';
import type { EndpointSecrets } from '../secrets/endpoint-secrets.ts';

/** How many rows are read from the list's end before the index is read endpoint by endpoint. */
const NEAR = 5_000;

/** For each direction: the order of rows, how later rows compare with an id, and a value before the first row. */
const DIRECTIONS = {
  newest: { order: 'DESC', sign: '<', before: '+ 1', start: '9223372036854775807' },
  oldest: { order: 'ASC', sign: '>', before: '- 1', start: '0' },
} as const;
type Direction = (typeof DIRECTIONS)[ListSort];

/** Lists deliveries, the newest or the oldest first. */
export async function listDeliveries(
  queries: Queries,
  filter: DeliveryFilter,
  secrets: EndpointSecrets,
  kinds: DestinationKinds,
): Promise<{ deliveries: LoggedDelivery[]; nextCursor: string | null }> {
  const rows = await readPage(queries, await resolved(queries, filter));
  const page = rows.slice(0, filter.limit);
  const last = rows.length > filter.limit ? page.at(-1) : undefined;
  return {
    deliveries: page.map((row) => deliveryOf(row, secrets, kinds)),
    nextCursor: last === undefined ? null : writeCursor('d', last.id),
  };
}

/** Replaces a kind that has one target by that target. */
export async function resolved<Conditions extends DeliveryConditions>(
  queries: Queries,
  conditions: Conditions,
): Promise<Conditions> {
  const { endpointId } = conditions;
  if (endpointId === undefined || endpointId.includes('-')) return conditions;
  const [row] = await queries.query<{ id: string }>(ONE_OF_KIND, [endpointId]);
  return {
    ...conditions,
    endpointId: row?.id ?? NOBODY,
    destinations: row === undefined ? 'webhook' : 'all',
  };
}

const ONE_OF_KIND = `SELECT id FROM destination WHERE kind = $1 AND url IS NULL`;

/** Whether the rows of an alias belong to the list. */
export function isListed({ destinations = 'webhook' }: DeliveryConditions, alias: string): string {
  if (destinations === 'all') return 'true';
  if (destinations === 'webhook') return isOfEndpoint(alias);
  return `${alias}.destination_id = ANY (ARRAY(SELECT id FROM destination WHERE kind = 'webhook'))`;
}

/** Whether the payments of an alias's rows are settled as asked; the small index payment_settled answers. */
export function isAsResolved({ resolved }: DeliveryConditions, alias: string): string {
  if (resolved === undefined) return 'true';
  return `${resolved ? '' : 'NOT '}EXISTS (
    SELECT FROM payment p WHERE p.id = ${alias}.payment_id AND ${SETTLED} OFFSET 0)`;
}

/** Reads one row more than the page needs, if there is one. */
async function readPage(queries: Queries, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const { endpointId, quoteId, orderId, cursor, sort = 'newest' } = filter;
  const count = filter.limit + 1;
  const by = DIRECTIONS[sort];
  const given = parametersOf(filter);
  const parameters = [...given, cursor === undefined ? by.start : readCursor('d', cursor)];
  const after = `$${parameters.length}::bigint`;
  const read = (page: string): Promise<DeliveryRow[]> => queries.query(rowsOf(page, by.order), parameters);
  if (quoteId !== undefined || orderId !== undefined) return read(pageOfPayments(count, filter, by, after));
  if (endpointId !== undefined) return read(pageOf(ONE_ENDPOINT, filter, by, after));
  const near = await read(nearPage(filter, by, after));
  return near.length === count ? near : read(pageOf(ALL_ENDPOINTS, filter, by, after));
}

/**
 * $1: the states. For ONE_ENDPOINT, $2 is its id; for `deliveriesOfPayments`, the others are the quote's spellings, the
 * order and the endpoint.
 */
export function parametersOf(conditions: DeliveryConditions): unknown[] {
  const { endpointId, quoteId, orderId, states = DELIVERY_STATES } = conditions;
  if (quoteId !== undefined || orderId !== undefined)
    return [states, quoteId === undefined ? null : spellingsOf(quoteId), orderId ?? null, endpointId ?? null];
  return endpointId === undefined ? [states] : [states, endpointId];
}

/** Reads the rows of the ids in `page`. The array makes PostgreSQL look them up by primary key. */
export function rowsOf(page: string, order: Direction['order'] = 'DESC'): string {
  return `WITH RECURSIVE ${page} SELECT ${DELIVERY_COLUMNS} FROM ${DELIVERY_TABLES}
    WHERE d.id = ANY (ARRAY(SELECT id FROM page)) ORDER BY d.id ${order}`;
}

function pageOfPayments(
  count: number,
  conditions: DeliveryConditions,
  { order, sign }: Direction,
  after: string,
): string {
  return `
    chosen AS MATERIALIZED (${deliveriesOfPayments(conditions)} AND d.id ${sign} ${after}),
    page AS (SELECT id FROM chosen ORDER BY id ${order} LIMIT ${count})`;
}

/**
 * Reads all deliveries of a quote's payment, or of an order's few payments: their events times the endpoints. The array
 * makes PostgreSQL use indexes for an order of many payments.
 */
export function deliveriesOfPayments(conditions: DeliveryConditions): string {
  const { quoteId, orderId } = conditions;
  const isChosen = [
    quoteId === undefined ? '$2::text[] IS NULL' : 'p.quote_id = ANY ($2::text[])',
    orderId === undefined ? '$3::text IS NULL' : 'p.order_id = $3',
  ];
  return `
    SELECT d.id FROM event e JOIN delivery d ON d.event_position = e.position
    WHERE e.payment_id = ANY (ARRAY(SELECT p.id FROM payment p WHERE ${isChosen.join(' AND ')}))
      AND d.state = ANY ($1::text[]) AND ${isListed(conditions, 'd')} AND ${isAsResolved(conditions, 'd')}
      AND d.destination_id = coalesce($4::uuid, d.destination_id)`;
}

/** Searches the nearest rows, which nearly always fill a page. For rare states this would search through millions of rows. */
function nearPage(filter: DeliveryFilter, { order, sign }: Direction, after: string): string {
  return `
    near AS (
      SELECT id, destination_id, state, payment_id FROM delivery WHERE id ${sign} ${after} ORDER BY id ${order} LIMIT ${NEAR}
    ), page AS (
      SELECT id FROM near r WHERE state = ANY ($1::text[]) AND ${isListed(filter, 'r')} AND ${isAsResolved(filter, 'r')}
      ORDER BY id ${order} LIMIT ${filter.limit + 1})`;
}

export const ONE_ENDPOINT = `known AS (SELECT $2::uuid AS destination_id)`;

/** All endpoints, deleted ones included: steps through the index from each destination to the next. */
export const ALL_ENDPOINTS = `
  known AS (
    (SELECT destination_id FROM delivery ORDER BY destination_id LIMIT 1)
    UNION ALL
    SELECT (
      SELECT d.destination_id FROM delivery d
      WHERE d.destination_id > k.destination_id ORDER BY d.destination_id LIMIT 1)
    FROM known k WHERE k.destination_id IS NOT NULL)`;

/**
 * Reads the first rows of each endpoint and state: at most `count` of these groups can have a row on the page. The condition
 * compares whole rows, so that PostgreSQL uses the index on them, whatever the statistics are.
 */
function pageOf(known: string, filter: DeliveryFilter, by: Direction, after: string): string {
  const count = filter.limit + 1;
  return `
    ${known}, first AS (
      SELECT k.destination_id, s.state, g.id
      FROM known k, unnest($1::text[]) AS s (state),
      LATERAL (${following(`(k.destination_id, s.state, ${after})`, 1, by, filter)}) g
      WHERE g.destination_id = k.destination_id AND g.state = s.state AND ${isListed(filter, 'k')}
      ORDER BY g.id ${by.order} LIMIT ${count}
    ), page AS (
      SELECT g.id FROM first f,
      LATERAL (${following(`(f.destination_id, f.state, f.id ${by.before})`, count, by, filter)}) g
      WHERE g.destination_id = f.destination_id AND g.state = f.state
      ORDER BY g.id ${by.order} LIMIT ${count})`;
}

function following(place: string, count: number, { order, sign }: Direction, filter: DeliveryFilter): string {
  return `
    SELECT destination_id, state, id FROM delivery d
    WHERE (destination_id, state, id) ${sign} ${place} AND ${isAsResolved(filter, 'd')}
    ORDER BY destination_id ${order}, state ${order}, id ${order} LIMIT ${count}`;
}
