import {
  EXECUTION_AFTER_MS,
  plotOf,
  USUAL_EXECUTION_MS,
  type Chapter,
  type ReportFacts,
  type Story,
} from './stories.ts';

/** The service's report at one time. */
export interface Phase {
  readonly status: Chapter['status'];
  readonly said: ReportFacts;
  /** The stage at which the story waits until its report was recorded; null: the story waits for no report. */
  readonly stage: string | null;
}

/** When each stage was reported for the first time, in milliseconds since the epoch. */
export type ReportedStages = Readonly<Record<string, number>>;

/** The part of a stored payment that decides its course. */
export interface Course {
  readonly story: Story;
  readonly speed: number;
  readonly expiresAt: Date;
  /** When the deposit is detected: planned at the creation, or made by hand; null while there is none. */
  readonly depositedAt: Date | null;
  /** The stages whose report was recorded; null: the course depends on the time alone. */
  readonly reportedStages: ReportedStages | null;
}

/** Durations at speed 1; the speed divides each of them. */
export const QUOTE_LIFE_MS = 300_000;
const DEPOSIT_AFTER_MS = 20_000;
const LATE_DEPOSIT_AFTER_MS = 60_000;

export function expiryOf(createdAt: Date, speed: number): Date {
  return later(createdAt, QUOTE_LIFE_MS, speed);
}

/** When the sandbox's own payer pays; null: never. */
export function autopayAt(story: Story, createdAt: Date, speed: number): Date | null {
  const { pays } = plotOf(story);
  if (pays === 'never') return null;
  if (pays === 'late') return later(expiryOf(createdAt, speed), LATE_DEPOSIT_AFTER_MS, speed);
  return later(createdAt, DEPOSIT_AFTER_MS, speed);
}

/**
 * The phase of a payment. It depends only on the stored row and the time, so that every replica reports the same phase. No
 * stage is skipped, even if the payment is polled rarely: a stage lasts until its report was recorded, and at least for its
 * duration from its first report.
 */
export function phaseAt(course: Course, now: Date): Phase {
  let phase: Phase = { status: 'AWAITING_DEPOSIT', said: {}, stage: null };
  for (const { beginsAtMs, isAnswered: isReported, ...next } of stagesOf(course)) {
    // A stage that was reported has begun, even by the clock of a replica that is behind.
    if (!isReported && now.getTime() < beginsAtMs) break;
    phase = next;
    if (!isReported && course.reportedStages !== null) break;
  }
  return phase;
}

/** When the execution of a paid payment starts and ends, as far as the recorded stages determine it. */
export function executionOf(course: Course): { startedAt: Date; endedAt: Date } {
  const stages = stagesOf(course);
  const end = stages.find(({ status }) => status === 'COMPLETED') ?? stages.at(-1);
  const ends = end?.beginsAtMs ?? course.expiresAt.getTime();
  const starts = stages.find(({ status }) => status === 'EXECUTING')?.beginsAtMs;
  const usual = ends - Math.round((USUAL_EXECUTION_MS - EXECUTION_AFTER_MS) / course.speed);
  return { startedAt: new Date(starts ?? usual), endedAt: new Date(ends) };
}

interface Stage extends Phase {
  readonly beginsAtMs: number;
  readonly isAnswered: boolean;
}

/** All stages after the wait for the deposit, in order. */
function stagesOf({ story, speed, expiresAt, depositedAt, reportedStages }: Course): Stage[] {
  const stages: Stage[] = [];
  const { chapters, expires = false } = plotOf(story);
  const add = (
    stage: string,
    status: Phase['status'],
    beginsAtMs: number,
    said: ReportFacts = {},
  ): number => {
    const reportedAtMs = reportedStages?.[stage];
    stages.push({ stage, status, said, beginsAtMs, isAnswered: reportedAtMs !== undefined });
    return reportedAtMs ?? beginsAtMs;
  };
  const isExpired = (): boolean => stages.some(({ stage }) => stage === 'expired');
  const expire = (): unknown =>
    isExpired() || add('expired', 'EXPIRED', expiresAt.getTime(), stages.at(-1)?.said);
  if (depositedAt === null || depositedAt >= expiresAt) expire();
  if (depositedAt === null) return stages;
  let [fromMs, reportedAtMs] = [0, depositedAt.getTime()];
  for (const [index, { afterMs, status, said }] of chapters.entries()) {
    const beginsAtMs = reportedAtMs + Math.round((afterMs - fromMs) / speed);
    if (expires && beginsAtMs >= expiresAt.getTime()) expire();
    const isOver = status === 'AWAITING_DEPOSIT' && isExpired();
    reportedAtMs = add(String(index), isOver ? 'EXPIRED' : status, beginsAtMs, said);
    fromMs = afterMs;
  }
  if (expires) expire();
  return stages;
}

function later(from: Date, ms: number, speed: number): Date {
  return new Date(from.getTime() + Math.round(ms / speed));
}
