import { CHAPTERS, EXECUTION_AFTER_MS, USUAL_EXECUTION_MS, type Chapter, type Story } from './stories.ts';

/** The status that the service reports at a moment. `isDown`: it responds with 500 instead. */
export interface Phase {
  readonly status: Chapter[1];
  readonly isDown: boolean;
  /** The story does not proceed past this stage before its report was recorded; null: it waits for no report. */
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
  /** The stages whose report was recorded; null: the course follows the time alone. */
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
  if (story === 'unpaid') return null;
  if (story === 'late') return later(expiryOf(createdAt, speed), LATE_DEPOSIT_AFTER_MS, speed);
  return later(createdAt, DEPOSIT_AFTER_MS, speed);
}

/**
 * The phase of a payment. It depends on the stored row and the time only, so that every replica reports the same. No stage
 * is skipped, however seldom it is polled: a stage lasts until its report was recorded, and at least its duration from its
 * first report.
 */
export function phaseAt(course: Course, now: Date): Phase {
  let phase: Phase = { status: 'AWAITING_DEPOSIT', isDown: false, stage: null };
  for (const { beginsAtMs, isAnswered: isReported, ...next } of stagesOf(course)) {
    // A reported stage has begun, even by the clock of a replica that is behind.
    if (!isReported && now.getTime() < beginsAtMs) break;
    phase = next;
    if (!isReported && course.reportedStages !== null) break;
  }
  return phase;
}

/** When the execution of a paid payment starts and ends, as far as the recorded stages allow to foresee. */
export function executionOf(course: Course): { startedAt: Date; endedAt: Date } {
  const stages = stagesOf(course);
  const ends = stages.at(-1)?.beginsAtMs ?? course.expiresAt.getTime();
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
  const add = (stage: string, status: Phase['status'], beginsAtMs: number, isDown = false): number => {
    const reportedAtMs = reportedStages?.[stage];
    stages.push({ stage, status, isDown, beginsAtMs, isAnswered: reportedAtMs !== undefined });
    return reportedAtMs ?? beginsAtMs;
  };
  if (depositedAt === null || depositedAt >= expiresAt) add('expired', 'EXPIRED', expiresAt.getTime());
  if (depositedAt === null) return stages;
  let [fromMs, reportedAtMs] = [0, depositedAt.getTime()];
  for (const [index, [afterMs, status, isDown]] of CHAPTERS[story].entries()) {
    const beginsAtMs = reportedAtMs + Math.round((afterMs - fromMs) / speed);
    reportedAtMs = add(String(index), status, beginsAtMs, isDown);
    fromMs = afterMs;
  }
  return stages;
}

function later(from: Date, ms: number, speed: number): Date {
  return new Date(from.getTime() + Math.round(ms / speed));
}
