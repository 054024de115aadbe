import type { RateLimit } from '../../domain/rate-limit/rate-limit.ts';
import { NO_SCALE, type IntervalScale } from '../../domain/polling/interval-scale.ts';
import type { RateLimitState } from '../../ports/provider-rate-limit.ts';
import type { Queries } from '../../ports/queries.ts';

interface RateLimitRow {
  readonly tokens: number;
  readonly urgent: number;
  readonly refilled_at: number;
  readonly slowed_to: number | null;
  readonly slowed_from: number | null;
  readonly slowed_at: number | null;
  readonly paused_until: number;
  readonly circuit: RateLimit['circuit'];
  readonly probe_at: number;
  readonly probe_wait_ms: number;
  readonly scale: number[];
  readonly now_ms: number;
}

/** Reads the rate limit; locks it until the end of the transaction when it is to be written. */
export async function readRateLimit(
  queries: Queries,
  provider: string,
  isToBeWritten: boolean,
): Promise<RateLimitState> {
  const [row] = await queries.query<RateLimitRow>(isToBeWritten ? `${READ} FOR UPDATE` : READ, [provider]);
  return nowOf(row);
}

export async function writeRateLimit(
  queries: Queries,
  provider: string,
  rateLimit: RateLimit,
): Promise<void> {
  await queries.query(WRITE, [
    rateLimit.tokens,
    rateLimit.refilledAt,
    rateLimit.slowed?.to ?? null,
    rateLimit.slowed?.from ?? null,
    rateLimit.slowed?.at ?? null,
    rateLimit.pausedUntil,
    rateLimit.circuit,
    rateLimit.probeAt,
    rateLimit.probeWaitMs,
    rateLimit.urgent,
    provider,
  ]);
}

function nowOf(row: RateLimitRow | undefined): RateLimitState {
  if (row === undefined) throw new Error('The provider’s rate limit has no row: the schema is not complete.');
  const { slowed_to: to, slowed_from: from, slowed_at: at, scale } = row;
  const rateLimit: RateLimit = {
    tokens: row.tokens,
    urgent: row.urgent,
    refilledAt: row.refilled_at,
    slowed: to === null || from === null || at === null ? null : { to, from, at },
    pausedUntil: row.paused_until,
    circuit: row.circuit,
    probeAt: row.probe_at,
    probeWaitMs: row.probe_wait_ms,
  };
  return { rateLimit, nowMs: row.now_ms, scale: scaleOf(scale) };
}

function scaleOf([inFlight = 1, attended = 1, unattended = 1, watching = 1]: number[]): IntervalScale {
  const scale: IntervalScale = [inFlight, attended, unattended, watching];
  return scale.every((factor) => factor === 1) ? NO_SCALE : scale;
}

const READ = `
  SELECT tokens, urgent, refilled_at, slowed_to, slowed_from, slowed_at, paused_until, circuit, probe_at,
    probe_wait_ms, (SELECT array_agg(factor ORDER BY urgency) FROM interval_scale WHERE provider = $1) AS scale,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms
  FROM provider_rate_limit WHERE provider = $1`;

const WRITE = `
  UPDATE provider_rate_limit
  SET tokens = $1, refilled_at = $2, slowed_to = $3, slowed_from = $4, slowed_at = $5,
    paused_until = $6, circuit = $7, probe_at = $8, probe_wait_ms = $9, urgent = $10,
    circuit_since = CASE WHEN circuit = $7 THEN circuit_since ELSE now() END
  WHERE provider = $11`;
