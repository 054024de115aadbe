import { DELIVERY_STATES, type DeliveryFilter, type LoggedDelivery } from '../../ports/delivery-log.ts';
import { NOBODY } from '../../domain/event/told.ts';
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

/** So many of the newest rows are read before the index is read endpoint by endpoint. */
const RECENT = 5_000;
const LAST_ID = '9223372036854775807';

/** Whether the rows of an alias are listed. */
type Shown = (alias: string) => string;

/** Newest first. */
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

/** A kind that has one target stands for that target. */
async function resolved(queries: Queries, filter: DeliveryFilter): Promise<DeliveryFilter> {
  const { endpointId } = filter;
  if (endpointId === undefined || endpointId.includes('-')) return filter;
  const [row] = await queries.query<{ id: string }>(ONE_OF_KIND, [endpointId]);
  return { ...filter, endpointId: row?.id ?? NOBODY, isOfAll: row !== undefined };
}

const ONE_OF_KIND = `SELECT id FROM destination WHERE kind = $1 AND url IS NULL`;

/** One row more than asked for, where there is one. */
async function readPage(queries: Queries, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const { endpointId, quoteId, orderId, states = DELIVERY_STATES, cursor } = filter;
  const count = filter.limit + 1;
  const isShown = filter.isOfAll === true ? () => 'true' : isOfEndpoint;
  const common = [states, cursor === undefined ? LAST_ID : readCursor('d', cursor)];
  if (quoteId !== undefined || orderId !== undefined) {
    const chosen = [quoteId ?? null, orderId ?? null, endpointId ?? null];
    return queries.query(rowsOf(pageOfPayments(count, filter, isShown)), [...common, ...chosen]);
  }
  if (endpointId !== undefined)
    return queries.query(rowsOf(pageOf(ONE_ENDPOINT, count, isShown)), [...common, endpointId]);
  const recent = await queries.query<DeliveryRow>(rowsOf(recentPage(count, isShown)), common);
  return recent.length === count
    ? recent
    : queries.query(rowsOf(pageOf(ALL_ENDPOINTS, count, isShown)), common);
}

/** The rows of the ids in `page`, newest first. The array keeps the plan on primary keys. */
export function rowsOf(page: string): string {
  return `WITH RECURSIVE ${page} SELECT ${DELIVERY_COLUMNS} FROM ${DELIVERY_TABLES}
    WHERE d.id = ANY (ARRAY(SELECT id FROM page)) ORDER BY d.id DESC`;
}

/**
 * All of a quote's payment, or of an order's few, are read: their events times the endpoints. The array keeps the plan on indexes
 * for an order of many.
 */
function pageOfPayments(count: number, { quoteId, orderId }: DeliveryFilter, isShown: Shown): string {
  const isChosen = [
    quoteId === undefined ? '$3::text IS NULL' : 'p.quote_id = $3',
    orderId === undefined ? '$4::text IS NULL' : 'p.order_id = $4',
  ];
  return `
    chosen AS MATERIALIZED (
      SELECT d.id FROM event e JOIN delivery d ON d.event_position = e.position
      WHERE e.payment_id = ANY (ARRAY(SELECT p.id FROM payment p WHERE ${isChosen.join(' AND ')})) AND d.state = ANY ($1::text[]) AND d.id < $2::bigint AND ${isShown('d')}
        AND d.destination_id = coalesce($5::uuid, d.destination_id)
    ), page AS (SELECT id FROM chosen ORDER BY id DESC LIMIT ${count})`;
}

/** Nearly always enough. Rare states would take a search through millions of rows. */
function recentPage(count: number, isShown: Shown): string {
  return `
    recent AS (
      SELECT id, destination_id, state FROM delivery WHERE id < $2::bigint ORDER BY id DESC LIMIT ${RECENT}
    ), page AS (
      SELECT id FROM recent r WHERE state = ANY ($1::text[]) AND ${isShown('r')} ORDER BY id DESC LIMIT ${count})`;
}

const ONE_ENDPOINT = `known AS (SELECT $3::uuid AS destination_id)`;

/** Those of deleted endpoints too: the index is skipped through, from each destination to the next. */
const ALL_ENDPOINTS = `
  known AS (
    (SELECT destination_id FROM delivery ORDER BY destination_id LIMIT 1)
    UNION ALL
    SELECT (
      SELECT d.destination_id FROM delivery d
      WHERE d.destination_id > k.destination_id ORDER BY d.destination_id LIMIT 1)
    FROM known k WHERE k.destination_id IS NOT NULL)`;

/**
 * The newest of each endpoint and state first: no more than `count` of these groups can have a part in the page.
 * Rows are compared as wholes, so that PostgreSQL uses the index on them whatever the statistics are.
 */
function pageOf(known: string, count: number, isShown: Shown): string {
  return `
    ${known}, newest AS (
      SELECT k.destination_id, s.state, g.id
      FROM known k, unnest($1::text[]) AS s (state),
      LATERAL (${below('(k.destination_id, s.state, $2::bigint)', 1)}) g
      WHERE g.destination_id = k.destination_id AND g.state = s.state AND ${isShown('k')}
      ORDER BY g.id DESC LIMIT ${count}
    ), page AS (
      SELECT g.id FROM newest n, LATERAL (${below('(n.destination_id, n.state, n.id + 1)', count)}) g
      WHERE g.destination_id = n.destination_id AND g.state = n.state
      ORDER BY g.id DESC LIMIT ${count})`;
}

function below(bound: string, count: number): string {
  return `
    SELECT destination_id, state, id FROM delivery WHERE (destination_id, state, id) < ${bound}
    ORDER BY destination_id DESC, state DESC, id DESC LIMIT ${count}`;
}
