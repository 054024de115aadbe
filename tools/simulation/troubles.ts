import type { Random } from './random.ts';

/** A time in which the provider fails, or Paybell's database is away. */
export interface Trouble {
  readonly kind: 'errors' | 'silence' | 'refusals' | 'database';
  readonly label: string;
  readonly from: number;
  readonly to: number;
  /** The Retry-After of every refusal; null: a refusal has none. */
  readonly retryAfterMs: number | null;
}

/** For how long after a trouble delays count as its effect: its own time and the poller's recovery. */
export const AFTERMATH_MS = 120_000;
/** The longest trouble, as a share of a run: a short run has short troubles. */
const LONGEST_SHARE = 0.05;
const TROUBLES = [
  { kind: 'errors', label: '500', lastsMs: 240_000, retryAfterMs: null },
  { kind: 'refusals', label: '429', lastsMs: 120_000, retryAfterMs: null },
  { kind: 'silence', label: 'time-outs', lastsMs: 120_000, retryAfterMs: null },
  { kind: 'database', label: 'database away', lastsMs: 120_000, retryAfterMs: null },
  { kind: 'refusals', label: '429 + Retry-After', lastsMs: 90_000, retryAfterMs: 30_000 },
] as const;

/** One trouble of each kind, spread over the run at random. */
export function planTroubles(runMs: number, random: Random): Trouble[] {
  const part = runMs / (TROUBLES.length + 1);
  return TROUBLES.map(({ lastsMs, ...trouble }, index) => {
    const from = part * (index + 0.6 + 0.5 * random.next());
    return { ...trouble, from, to: from + Math.min(lastsMs, runMs * LONGEST_SHARE) };
  });
}

export function troubleAt(troubles: readonly Trouble[], instant: number): Trouble | null {
  return troubles.find(({ from, to }) => from <= instant && instant < to) ?? null;
}

/** When the database is back that is away at this instant; null: it is not away. */
export function databaseBackAt(troubles: readonly Trouble[], instant: number): number | null {
  const trouble = troubleAt(troubles, instant);
  return trouble?.kind === 'database' ? trouble.to : null;
}

export function isNearTrouble(troubles: readonly Trouble[], instant: number): boolean {
  return troubles.some(({ from, to }) => from <= instant && instant < to + AFTERMATH_MS);
}
