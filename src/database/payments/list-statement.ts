import type { ListSort } from '../../ports/list-sort.ts';
import type { PaymentFilter } from '../../ports/payments.ts';
import type { PaymentPosition } from '../connection/cursor.ts';
import { withinBytes } from '../connection/page-bytes.ts';
import { IS_PAYMENT_UNTOLD } from '../attention/untold.ts';
import { PAID_TWICE } from '../attention/paid-twice.ts';
import { SELECT_STORED, type StoredRow } from './stored-payment.ts';

/** A bound of a list, as a position in the order of (created_at, id). */
export interface Bound {
  readonly sign: '<' | '>=';
  /** Microseconds since 1970 as text. */
  readonly at: Date | string;
  readonly id: string;
}

type Window = Pick<PaymentFilter, 'sort' | 'createdAfter' | 'createdBefore'>;

/** A payment that was read for a page. */
export interface ListedRow extends StoredRow {
  readonly created_us: string;
  readonly is_cut: boolean;
  /** Read only for the filter `undelivered`. */
  readonly is_undelivered?: boolean;
}

/** `ids` limits the payments to these ids; null: all payments. The filters left out are tested row by row. */
export type Selected = Omit<PaymentFilter, 'limit' | 'cursor' | 'search' | 'chain' | 'token'> & {
  readonly ids: readonly string[] | null;
};

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

type Flag = 'late' | 'stalled' | 'anomaly' | 'paidTwice' | 'resolved';

const POSITION = 'p.created_at, p.id';
/** Both directions read the same indexes. */
const DIRECTIONS: Readonly<Record<ListSort, 'DESC' | 'ASC'>> = { newest: 'DESC', oldest: 'ASC' };

/** The conditions repeat those of the partial indexes word for word: see indexes.ts. */
const FLAGS: Readonly<Record<Flag, readonly [whenTrue: string, whenFalse: string]>> = {
  late: ['p.late', 'NOT p.late'],
  stalled: [
    `p.stalls <> '{}' AND p.tracking <> 'closed'`,
    `NOT (p.stalls <> '{}' AND p.tracking <> 'closed')`,
  ],
  anomaly: [`p.contradictions <> '{}'`, `p.contradictions = '{}'`],
  paidTwice: [PAID_TWICE, `NOT (${PAID_TWICE})`],
  resolved: ['p.resolution IS NOT NULL', 'p.resolution IS NULL'],
};

/** Reads the first `count` of these payments after a position, up to the bytes that a page may have. */
export function listStatement(filter: Selected, after: PaymentPosition | null, count: number): Statement {
  const { sql, parameters } = firstOf(filter, after, count);
  const order = orderOf(filter);
  return { sql: `${withinBytes(sql, STORED_BYTES, order)} ORDER BY ${order}`, parameters };
}

function orderOf({ sort = 'newest' }: Pick<Selected, 'sort'>): string {
  const direction = DIRECTIONS[sort];
  return `created_at ${direction}, id ${direction}`;
}

/** The array makes the joins use keys. */
function firstOf(filter: Selected, after: PaymentPosition | null, count: number): Statement {
  const { sql, parameters } = partsOf(filter, after, count);
  const page = `SELECT id FROM (${sql}) parts ORDER BY ${orderOf(filter)} LIMIT ${count}`;
  const columns =
    filter.undelivered === undefined ? [CREATED_US] : [CREATED_US, `${IS_PAYMENT_UNTOLD} AS is_undelivered`];
  const select = SELECT_STORED.replace('SELECT', `SELECT ${columns.join(', ')},`);
  return { sql: `${select} WHERE p.id = ANY (ARRAY(${page}))`, parameters };
}

/** Counts these payments up to a limit. */
export function countStatement(filter: Selected, most: number): Statement {
  const { sql, parameters } = partsOf(filter, null, most);
  return {
    sql: `SELECT count(*)::int AS count FROM (SELECT FROM (${sql}) parts LIMIT ${most}) counted`,
    parameters,
  };
}

/**
 * Reads several statuses one by one, each from the index on status and creation; several providers likewise. Reads an order
 * from the index on order and creation: the planner would rather walk through all payments in the hope of meeting those of a
 * frequent order.
 */
function partsOf(
  { statuses = [], providers = [], ...filter }: Selected,
  after: PaymentPosition | null,
  count: number,
): Statement {
  const isByOrder = filter.orderId !== undefined && filter.ids === null && statuses.length === 0;
  const { conditions, parameters } = conditionsOf(filter, after, isByOrder);
  const isByProvider = statuses.length === 0 && !isByOrder;
  if (providers.length > 0 && !isByProvider)
    conditions.push(`p.provider = ANY ($${parameters.push(providers)}::text[])`);
  const [column, words] = isByProvider ? ['provider', providers] : ['status', statuses];
  const oneByOne = words.map((word) => [...conditions, `p.${column} = $${parameters.push(word)}`]);
  // Keeps the planner from walking through all payments in the hope of meeting those that a search found.
  const source =
    filter.ids === null
      ? 'payment'
      : `(SELECT * FROM payment WHERE id = ANY ($${parameters.push(filter.ids)}::bigint[]) OFFSET 0)`;
  const byOrder = isByOrder ? `order_id ${DIRECTIONS[filter.sort ?? 'newest']},` : '';
  const parts = (oneByOne.length === 0 ? [conditions] : oneByOne).map(
    (all) =>
      `(SELECT p.id, p.created_at FROM ${source} p WHERE ${all.join(' AND ')}
        ORDER BY ${byOrder} ${orderOf(filter)} LIMIT ${count})`,
  );
  return { sql: parts.join(' UNION ALL '), parameters };
}

/**
 * Compares whole rows: with an equality on the order, the planner would leave the order out of the sort, and so not use the
 * index.
 */
function conditionsOf(
  { orderId, verification, match, ...filter }: Omit<Selected, 'statuses' | 'providers' | 'ids'>,
  after: PaymentPosition | null,
  isByOrder: boolean,
): { conditions: string[]; parameters: unknown[] } {
  const conditions = ['true', ...flagsOf(filter)];
  const parameters: unknown[] = [];
  const value = (given: unknown): string => `$${parameters.push(given)}`;
  if (verification !== undefined)
    conditions.push(`p.id IN (SELECT payment_id FROM payment_proof WHERE state = ${value(verification)})`);
  if (match !== undefined) conditions.push(`p.match = ${value(match)}`);
  const order = orderId === undefined ? '' : value(orderId);
  if (isByOrder) conditions.push('p.order_id IS NOT NULL');
  else if (orderId !== undefined) conditions.push(`p.order_id = ${order}`);
  const [columns, first] = isByOrder ? ['p.order_id, p.created_at, p.id', `${order}, `] : [POSITION, ''];
  const bounds = boundsOf(filter, after);
  for (const { sign, at, id } of bounds) {
    const time =
      at instanceof Date
        ? `${value(at)}::timestamptz`
        : `timestamptz 'epoch' + ${value(at)}::bigint * interval '1 microsecond'`;
    conditions.push(`(${columns}) ${sign} (${first}${time}, ${value(id)}::bigint)`);
  }
  if (isByOrder) {
    const isOpen = (end: '<' | '>='): boolean => !bounds.some(({ sign }) => sign === end);
    if (isOpen('>=')) conditions.push(`(${columns}) >= (${first}'-infinity', 0)`);
    if (isOpen('<')) conditions.push(`(${columns}) < (${first}'infinity', 0)`);
  }
  return { conditions, parameters };
}

function flagsOf(filter: Pick<Selected, Flag>): string[] {
  return (Object.keys(FLAGS) as Flag[]).flatMap((flag) => {
    const wanted = filter[flag];
    return wanted === undefined ? [] : [FLAGS[flag][wanted ? 0 : 1]];
  });
}

export const CREATED_US = `(extract(epoch FROM p.created_at) * 1000000)::bigint AS created_us`;

/** Allows 1 kB for names, ids and times. */
const STORED_BYTES = `1024 + coalesce(octet_length(metadata), 0) + coalesce(octet_length(quote_text), 0)
  + coalesce(octet_length(report_text), 0)`;

/**
 * The bounds of a page: after a position, and within the window of time. Each side has only its narrower bound: with two,
 * PostgreSQL might begin at the wider one and read all earlier pages.
 */
export function boundsOf(
  { sort = 'newest', createdAfter, createdBefore }: Window,
  after: PaymentPosition | null,
): readonly Bound[] {
  const at = after?.createdUs ?? '0';
  const below = after !== null && sort === 'newest' ? { at, id: after.id } : null;
  // PostgreSQL estimates a row comparison with `>` by the first column alone, which for one order estimates no rows.
  const above = after !== null && sort === 'oldest' ? { at, id: String(BigInt(after.id) + 1n) } : null;
  const isBelow = below !== null && (createdBefore === undefined || BigInt(below.at) < usOf(createdBefore));
  const isAbove = above !== null && (createdAfter === undefined || BigInt(above.at) >= usOf(createdAfter));
  return [
    ...(isAbove ? [{ sign: '>=', ...above } as const] : fromDate('>=', createdAfter)),
    ...(isBelow ? [{ sign: '<', ...below } as const] : fromDate('<', createdBefore)),
  ];
}

function fromDate(sign: '<' | '>=', at: Date | undefined): Bound[] {
  return at === undefined ? [] : [{ sign, at, id: '0' }];
}

function usOf(date: Date): bigint {
  return BigInt(date.getTime()) * 1_000n;
}
