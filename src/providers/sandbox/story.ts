import {
  CHAPTERS,
  EXECUTION_AFTER_MS,
  USUAL_EXECUTION_MS,
  type Chapter,
  type Story,
} from './story-chapters.ts';

/** What the service says from some moment on. `isDown`: it answers 500 instead. */
export interface Phase {
  readonly status: Chapter[1];
  readonly isDown: boolean;
  /** What the story does not go past before it was heard; null: nothing waits for it. */
  readonly stage: string | null;
}

/** When a stage was told for the first time, milliseconds since the epoch, by stage. */
export type AnsweredStages = Readonly<Record<string, number>>;

/** As much of a stored payment as its course depends on. */
export interface Course {
  readonly story: Story;
  readonly speed: number;
  readonly expiresAt: Date;
  /** When the deposit is seen: planned at the creation, or made by hand; null while nobody pays. */
  readonly depositedAt: Date | null;
  /** The stages whose report was recorded; null: the course goes by time alone, whoever listens. */
  readonly answered: AnsweredStages | null;
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
 * Where a payment stands: of its row and the time alone, so that every replica says the same. No stage is passed over: each
 * lasts its time from when it was told first, and until that was recorded, however seldom or late somebody asks.
 */
export function phaseAt(course: Course, now: Date): Phase {
  let phase: Phase = { status: 'AWAITING_DEPOSIT', isDown: false, stage: null };
  for (const { beginsAtMs, isAnswered, ...next } of stagesOf(course)) {
    // What was told once is over even by the clock of a replica that is behind.
    if (!isAnswered && now.getTime() < beginsAtMs) break;
    phase = next;
    if (!isAnswered && course.answered !== null) break;
  }
  return phase;
}

/** When the execution of a payment that is paid starts and ends, as far as it can be known before. */
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

/** All that follows the wait for the deposit, in order. */
function stagesOf({ story, speed, expiresAt, depositedAt, answered }: Course): Stage[] {
  const stages: Stage[] = [];
  const add = (stage: string, status: Phase['status'], beginsAtMs: number, isDown = false): number => {
    const answeredAtMs = answered?.[stage];
    stages.push({ stage, status, isDown, beginsAtMs, isAnswered: answeredAtMs !== undefined });
    return answeredAtMs ?? beginsAtMs;
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
