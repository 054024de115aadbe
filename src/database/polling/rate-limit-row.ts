import type { CallerTurn } from '../../domain/rate-limit/caller-shares.ts';
import type { Pace, Slowed } from '../../domain/rate-limit/rate-limit.ts';
import { NO_STRETCH, type Stretch } from '../../domain/polling/interval-scale.ts';
import type { PaceNow } from '../../ports/provider-limits.ts';
import type { Queries } from '../../ports/queries.ts';

interface PaceRow {
  readonly tokens: number;
  readonly urgent: number;
  readonly refilled_at: number;
  readonly slowed_to: number | null;
  readonly slowed_from: number | null;
  readonly slowed_at: number | null;
  readonly slowed_cause: Slowed['cause'] | null;
  readonly paused_until: number;
  readonly circuit: Pace['circuit'];
  readonly probe_at: number;
  readonly probe_wait_ms: number;
  readonly stretch: number[];
  readonly caller_turns: CallerTurn[];
  readonly now_ms: number;
}

/** With whose turn it is, of the callers who wait. */
export interface StoredPace extends PaceNow {
  readonly turns: readonly CallerTurn[];
}

/** The pace as it stands; locked until the end of the transaction when it is to be written. */
export async function readPace(queries: Queries, isToBeWritten: boolean): Promise<StoredPace> {
  const [row] = await queries.query<PaceRow>(isToBeWritten ? `${READ} FOR UPDATE` : READ);
  return nowOf(row);
}

/** Without `turns` those that are stored stay. */
export async function writePace(queries: Queries, pace: Pace, turns?: readonly CallerTurn[]): Promise<void> {
  await queries.query(WRITE, [
    pace.tokens,
    pace.refilledAt,
    pace.slowed?.to ?? null,
    pace.slowed?.from ?? null,
    pace.slowed?.at ?? null,
    pace.slowed?.cause ?? null,
    pace.pausedUntil,
    pace.circuit,
    pace.probeAt,
    pace.probeWaitMs,
    pace.urgent,
    turns === undefined ? null : JSON.stringify(turns),
  ]);
}

function nowOf(row: PaceRow | undefined): StoredPace {
  if (row === undefined) throw new Error('The provider’s pace has no row: the schema is not complete.');
  const { slowed_to: to, slowed_from: from, slowed_at: at, slowed_cause: cause, stretch } = row;
  const pace: Pace = {
    tokens: row.tokens,
    urgent: row.urgent,
    refilledAt: row.refilled_at,
    slowed: to === null || from === null || at === null || cause === null ? null : { to, from, at, cause },
    pausedUntil: row.paused_until,
    circuit: row.circuit,
    probeAt: row.probe_at,
    probeWaitMs: row.probe_wait_ms,
  };
  return { pace, nowMs: row.now_ms, stretch: stretchOf(stretch), turns: row.caller_turns };
}

function stretchOf([inFlight = 1, attended = 1, unattended = 1, watching = 1]: number[]): Stretch {
  const stretch: Stretch = [inFlight, attended, unattended, watching];
  return stretch.every((factor) => factor === 1) ? NO_STRETCH : stretch;
}

const READ = `
  SELECT tokens, urgent, refilled_at, slowed_to, slowed_from, slowed_at, slowed_cause, paused_until, circuit, probe_at, probe_wait_ms,
    stretch, caller_turns, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms
  FROM provider_pace WHERE id = 1`;

const WRITE = `
  UPDATE provider_pace
  SET tokens = $1, refilled_at = $2, slowed_to = $3, slowed_from = $4, slowed_at = $5, slowed_cause = $6,
    paused_until = $7, circuit = $8, probe_at = $9, probe_wait_ms = $10, urgent = $11,
    caller_turns = coalesce($12::jsonb, caller_turns)
  WHERE id = 1`;
