import { MOST_COUNTED, MOST_LISTED, type PaymentSums, type TokenSum } from '../../ports/attention.ts';
import type { Queries } from '../../ports/queries.ts';

export const NO_PAYMENTS: PaymentSums = { count: 0, isMore: false, sums: [], otherTokens: 0 };

interface Row {
  readonly count: number;
  readonly is_more: boolean;
  readonly sums: readonly TokenSum[] | null;
  readonly tokens: number;
}

/** Runs a statement that ends with `sumsOfFound`. */
export async function readSums(
  queries: Queries,
  sql: string,
  parameters: readonly unknown[],
  withinMs: number,
): Promise<PaymentSums> {
  const [row] = await queries.query<Row>(sql, parameters, withinMs);
  if (row === undefined) return NO_PAYMENTS;
  const sums = row.sums ?? [];
  const otherTokens = row.tokens - sums.length;
  return { count: Math.min(row.count, MOST_COUNTED), isMore: row.is_more, sums, otherTokens };
}

/**
 * Amounts are added as numeric, which is exact. PostgreSQL cannot read JSON as text that has a lone surrogate or
 * U+0000: such a payment is counted, its amount is left out.
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

/**
 * The rest of a statement whose `found` has the ids of at most MOST_COUNTED + 1 payments: counts the payments and adds
 * up the amounts that payers sent. `isCut` is an SQL condition: `found` lacks payments for another reason.
 */
export function sumsOfFound(isCut = 'false'): string {
  return `counted AS MATERIALIZED (SELECT id FROM found LIMIT ${MOST_COUNTED}), sums AS MATERIALIZED (${SUMS})
    SELECT (SELECT count(*) FROM found)::int AS count,
      (SELECT count(*) FROM found) > ${MOST_COUNTED} OR ${isCut} AS is_more,
      (SELECT count(*) FROM sums)::int AS tokens,
      (SELECT json_agg(json_build_object('chainId', listed.chain_id, 'chain', listed.chain, 'symbol', listed.symbol,
          'address', listed.address, 'amount', listed.amount, 'payments', listed.payments))
       FROM (SELECT * FROM sums ORDER BY payments DESC, chain_id, symbol, address LIMIT ${MOST_LISTED}) listed) AS sums`;
}
