import type { Queries } from '../../ports/queries.ts';
import { TooManyEndpoints } from '../../ports/webhook-endpoints.ts';
import { NEW_ENDPOINT_COLUMNS, type EndpointRow } from './endpoint-row.ts';

/** Inserts an endpoint in the caller's transaction. Throws TooManyEndpoints where there are `atMost` already. */
export async function insertEndpoint(
  queries: Queries,
  values: readonly unknown[],
  atMost: number,
): Promise<EndpointRow> {
  await queries.query(LOCK_COUNT);
  const [counted] = await queries.query<{ endpoints: number }>(COUNT);
  if ((counted?.endpoints ?? 0) >= atMost) throw new TooManyEndpoints(atMost);
  const [row] = await queries.query<EndpointRow>(INSERT, values);
  return row as EndpointRow;
}

/** One at a time, over all replicas: two that count before either has added would both find room. */
const LOCK_COUNT = `SELECT pg_advisory_xact_lock(hashtextextended('paybell webhook endpoints', 0))`;
const COUNT = `SELECT count(*)::int AS endpoints FROM destination WHERE kind = 'webhook'`;
const INSERT = `
  INSERT INTO destination AS x (id, kind, enabled, url, event_types, description, secrets, signature, public_key)
  VALUES ($1, 'webhook', true, $2, $3, $4, $5, $6, $7) RETURNING ${NEW_ENDPOINT_COLUMNS}`;
