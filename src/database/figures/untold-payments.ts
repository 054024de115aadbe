import { isPaid, STATUSES } from '../../domain/payment/status.ts';
import {
  type EndpointTrouble,
  MOST_COUNTED,
  MOST_LISTED,
  type TokenSum,
  type UntoldPayments,
} from '../../ports/attention.ts';
import type { Queries } from '../../ports/queries.ts';
import { deliveriesOf, MOST_READ, UNRESOLVED } from './bounded-reading.ts';

const NONE: UntoldPayments = { count: 0, isMore: false, sums: [], otherTokens: 0 };
const PAID = STATUSES.filter(isPaid);

/** Of an endpoint `x` with its circuit `c`. A single failure is no trouble yet. */
export const TROUBLED: Readonly<Record<EndpointTrouble, string>> = {
  disabled: 'NOT x.enabled',
  failing: `x.enabled AND (c.state = 'open' OR c.failing_since < now() - interval '1 minute')`,
};

interface Row {
  readonly count: number;
  readonly is_more: boolean;
  readonly sums: readonly TokenSum[] | null;
  readonly tokens: number;
}

/** Paid payments whose newest event went to these endpoints, or would have gone there, and was taken by no destination. */
export async function readUntold(
  queries: Queries,
  trouble: EndpointTrouble | null,
  withinMs: number,
): Promise<UntoldPayments> {
  if (trouble === null) return NONE;
  const [row] = await queries.query<Row>(UNTOLD[trouble], [PAID], withinMs);
  if (row === undefined) return NONE;
  const sums = row.sums ?? [];
  const otherTokens = row.tokens - sums.length;
  return { count: Math.min(row.count, MOST_COUNTED), isMore: row.is_more, sums, otherTokens };
}

/** Pending and given-up deliveries at the endpoints. */
const OWED = `
  SELECT d.payment_id, d.sequence, d.event_position FROM troubled x
  CROSS JOIN LATERAL (${deliveriesOf('x.id', 'pending', 'newest')} UNION ALL ${deliveriesOf('x.id', 'failed', 'newest')}) d
  LIMIT ${MOST_READ}`;

/** The newest events since a disabled endpoint took one: while it is disabled, none has a delivery to it. */
const RECORDED = `
  SELECT payment_id, sequence, position AS event_position, type FROM event_entry
  WHERE time > (SELECT min(coalesce(x.delivered_at, x.created_at)) FROM troubled x)
  ORDER BY time DESC LIMIT ${MOST_READ}`;
const MISSED = `
  SELECT e.payment_id, e.sequence, e.event_position FROM recorded e
  WHERE EXISTS (SELECT FROM troubled x WHERE x.event_types = '{}' OR e.type = ANY (x.event_types))`;
const NOTHING = `SELECT 0::bigint AS payment_id, 0 AS sequence, 0::bigint AS event_position, '' AS type WHERE false`;

/**
 * JSON with half a character or a null character can not be read as text by PostgreSQL: the payment counts, its amount does
 * not. Amounts are added as numeric, which is exact.
 */
const SUMS = `
  SELECT s.chain_id, min(s.chain) AS chain, s.symbol, s.address, trim_scale(sum(s.amount::numeric))::text AS amount,
    count(*)::int AS payments
  FROM (
    SELECT CASE WHEN q.chain ->> 'id' ~ '^[0-9]{1,15}$' THEN (q.chain ->> 'id')::bigint END AS chain_id,
      left(q.chain ->> 'name', 100) AS chain, left(q.token ->> 'symbol', 100) AS symbol,
      left(q.token ->> 'address', 200) AS address, q.amount
    FROM counted u JOIN payment_quote b ON b.payment_id = u.id
    CROSS JOIN LATERAL (
      -- Once for each quote: without OFFSET the planner would repeat it for each field.
      SELECT b.body::json -> 'send' AS send
      WHERE strpos(b.body, '\\u') = 0 OR b.body !~* '\\\\u(0000|d[89a-f])' OFFSET 0
    ) sent
    CROSS JOIN LATERAL json_to_record(CASE WHEN json_typeof(sent.send) = 'object' THEN sent.send END)
      AS q (chain json, token json, amount text)
    OFFSET 0
  ) s
  WHERE s.amount ~ '^[0-9]{1,60}([.][0-9]{1,60})?$'
  GROUP BY s.chain_id, s.symbol, s.address`;

function untold(trouble: EndpointTrouble): string {
  return `
    WITH troubled AS MATERIALIZED (
      SELECT x.id, x.event_types, x.delivered_at, x.created_at
      FROM destination x LEFT JOIN endpoint_circuit c ON c.destination_id = x.id
      WHERE x.kind = 'webhook' AND ${TROUBLED[trouble]}
    ), recorded AS MATERIALIZED (${trouble === 'disabled' ? RECORDED : NOTHING}
    ), news AS MATERIALIZED ((${OWED}) UNION ALL (${MISSED})
    ), found AS MATERIALIZED (
      SELECT DISTINCT p.id FROM news n
      JOIN payment p ON p.id = n.payment_id AND p.sequence = n.sequence AND p.status = ANY ($1) AND ${UNRESOLVED}
      WHERE NOT EXISTS (
        SELECT FROM delivery o WHERE o.event_position = n.event_position AND o.state = 'delivered')
      LIMIT ${MOST_COUNTED + 1}
    ), counted AS MATERIALIZED (SELECT id FROM found LIMIT ${MOST_COUNTED}), sums AS MATERIALIZED (${SUMS})
    SELECT (SELECT count(*) FROM found)::int AS count,
      (SELECT count(*) FROM found) > ${MOST_COUNTED} OR (SELECT count(*) FROM news) >= ${MOST_READ}
        OR (SELECT count(*) FROM recorded) >= ${MOST_READ} AS is_more,
      (SELECT count(*) FROM sums)::int AS tokens,
      (SELECT json_agg(json_build_object('chainId', listed.chain_id, 'chain', listed.chain, 'symbol', listed.symbol,
          'address', listed.address, 'amount', listed.amount, 'payments', listed.payments))
       FROM (SELECT * FROM sums ORDER BY payments DESC, chain_id, symbol, address LIMIT ${MOST_LISTED}) listed) AS sums`;
}

const UNTOLD: Readonly<Record<EndpointTrouble, string>> = {
  disabled: untold('disabled'),
  failing: untold('failing'),
};
