import { fractionOf } from '../../domain/amount.ts';
import type { Status } from '../../domain/status.ts';

/** What the sandbox lets happen to a payment; the last two fraction digits of its amount choose. */
export type Story =
  | 'plain'
  | 'fails'
  | 'unpaid'
  | 'late'
  | 'keeps_executing'
  | 'skips_ahead'
  | 'unknown_status'
  | 'goes_back'
  | 'outage';

const STORY_OF_DIGITS: Readonly<Record<string, Story>> = {
  '01': 'fails',
  '02': 'unpaid',
  '03': 'late',
  '04': 'keeps_executing',
  '05': 'skips_ahead',
  '06': 'unknown_status',
  '07': 'goes_back',
  '08': 'outage',
};

/** What the service says from some moment on. `isDown`: it answers 500 instead. */
export interface Phase {
  readonly status: Status | 'ROUTING';
  readonly isDown: boolean;
}

/** As much of a stored payment as its course depends on. */
export interface Course {
  readonly story: Story;
  readonly speed: number;
  readonly expiresAt: Date;
  /** When the deposit is seen: planned at the creation, or made by hand; null while nobody pays. */
  readonly depositedAt: Date | null;
}

/** Durations at speed 1; the speed divides each of them. */
export const QUOTE_LIFE_MS = 300_000;
export const USUAL_EXECUTION_MS = 15_000;
const DEPOSIT_AFTER_MS = 20_000;
const LATE_DEPOSIT_AFTER_MS = 60_000;
const EXECUTION_AFTER_MS = 5_000;

type Chapter = readonly [afterMs: number, status: Phase['status'], isDown?: true];

const PLAIN: readonly Chapter[] = [
  [0, 'DEPOSIT_RECEIVED'],
  [EXECUTION_AFTER_MS, 'EXECUTING'],
  [USUAL_EXECUTION_MS, 'COMPLETED'],
];

/** Counted from the deposit. What a story is about lasts for at least two polls, 7 s apart. */
const CHAPTERS: Readonly<Record<Story, readonly Chapter[]>> = {
  plain: PLAIN,
  unpaid: PLAIN,
  late: PLAIN,
  fails: [
    [0, 'DEPOSIT_RECEIVED'],
    [EXECUTION_AFTER_MS, 'EXECUTING'],
    [USUAL_EXECUTION_MS, 'FAILED'],
  ],
  keeps_executing: [
    [0, 'DEPOSIT_RECEIVED'],
    [EXECUTION_AFTER_MS, 'EXECUTING'],
    [3_605_000, 'COMPLETED'],
  ],
  skips_ahead: [[USUAL_EXECUTION_MS, 'COMPLETED']],
  unknown_status: [
    [0, 'DEPOSIT_RECEIVED'],
    [5_000, 'ROUTING'],
    [20_000, 'EXECUTING'],
    [35_000, 'COMPLETED'],
  ],
  goes_back: [
    [0, 'DEPOSIT_RECEIVED'],
    [EXECUTION_AFTER_MS, 'EXECUTING'],
    [20_000, 'DEPOSIT_RECEIVED'],
    [35_000, 'EXECUTING'],
    [50_000, 'COMPLETED'],
  ],
  outage: [
    [0, 'DEPOSIT_RECEIVED'],
    [EXECUTION_AFTER_MS, 'EXECUTING'],
    [20_000, 'EXECUTING', true],
    [80_000, 'EXECUTING'],
    [95_000, 'COMPLETED'],
  ],
};

export function storyOf(amount: string): Story {
  const fraction = fractionOf(amount);
  return (fraction.length < 2 ? undefined : STORY_OF_DIGITS[fraction.slice(-2)]) ?? 'plain';
}

export function expiryOf(createdAt: Date, speed: number): Date {
  return later(createdAt, QUOTE_LIFE_MS, speed);
}

/** When the sandbox's own payer pays; null: never. */
export function autopayAt(story: Story, createdAt: Date, speed: number): Date | null {
  if (story === 'unpaid') return null;
  if (story === 'late') return later(expiryOf(createdAt, speed), LATE_DEPOSIT_AFTER_MS, speed);
  return later(createdAt, DEPOSIT_AFTER_MS, speed);
}

/** Where a payment stands: of its row and the time alone, so that every replica says the same. */
export function phaseAt(course: Course, now: Date): Phase {
  const { depositedAt, expiresAt, speed } = course;
  const sinceDepositMs = depositedAt === null ? -1 : (now.getTime() - depositedAt.getTime()) * speed;
  const chapter = CHAPTERS[course.story].findLast(([afterMs]) => afterMs <= sinceDepositMs);
  if (chapter !== undefined) return { status: chapter[1], isDown: chapter[2] ?? false };
  const isPaidInTime = depositedAt !== null && depositedAt < expiresAt;
  return { status: isPaidInTime || now < expiresAt ? 'AWAITING_DEPOSIT' : 'EXPIRED', isDown: false };
}

/** When the execution of a payment that is paid at `depositedAt` starts and ends. */
export function executionOf(
  story: Story,
  depositedAt: Date,
  speed: number,
): { startedAt: Date; endedAt: Date } {
  const startMs = CHAPTERS[story].find(([, status]) => status === 'EXECUTING')?.[0] ?? EXECUTION_AFTER_MS;
  const endMs = CHAPTERS[story].at(-1)?.[0] ?? USUAL_EXECUTION_MS;
  return { startedAt: later(depositedAt, startMs, speed), endedAt: later(depositedAt, endMs, speed) };
}

function later(from: Date, ms: number, speed: number): Date {
  return new Date(from.getTime() + Math.round(ms / speed));
}
