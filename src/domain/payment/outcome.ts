import type { Status } from './status.ts';

/** The ends in a report that a person has to look at; the status stands. */
export const REPORTED_ANOMALIES = ['partly_refunded', 'short_output'] as const;

export type ReportedAnomaly = (typeof REPORTED_ANOMALIES)[number];

/** The movements of money when a provider says its word for a success. */
export interface Moved {
  /** The recipient got something. */
  readonly hasOutput: boolean;
  /** Less than was promised. */
  readonly isShort: boolean;
  /** Money went back. */
  readonly hasRefund: boolean;
}

export interface Outcome {
  /** Null: the word alone proves nothing. */
  readonly status: Extract<Status, 'COMPLETED' | 'FAILED'> | null;
  readonly anomaly: ReportedAnomaly | null;
}

/** COMPLETED is an output transfer, never a word. `failsPartial`: a part that came and a part that went back are a failure. */
export function outcomeOf({ hasOutput, isShort, hasRefund }: Moved, failsPartial: boolean): Outcome {
  if (!hasOutput) return { status: hasRefund ? 'FAILED' : null, anomaly: null };
  if (!isShort) return { status: 'COMPLETED', anomaly: null };
  if (!hasRefund) return { status: 'COMPLETED', anomaly: 'short_output' };
  return failsPartial
    ? { status: 'FAILED', anomaly: null }
    : { status: 'COMPLETED', anomaly: 'partly_refunded' };
}

/** The member of a report. */
export function anomalyOf({ anomaly }: Outcome): { readonly anomaly?: ReportedAnomaly } {
  return anomaly === null ? {} : { anomaly };
}

export function readAnomaly(value: unknown): ReportedAnomaly | null {
  return REPORTED_ANOMALIES.find((anomaly) => anomaly === value) ?? null;
}
