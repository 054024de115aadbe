import { fractionOf } from '../../domain/payment/amount.ts';
import type { Status } from '../../domain/payment/status.ts';

/** The course of a sandbox payment, chosen by the last two fraction digits of its amount. */
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

/** The stories by the fraction digits that choose them; the plain one by any others. */
export const DIGITS_OF_STORY: ReadonlyMap<Story, string> = new Map([
  ['plain', '00'],
  ...Object.entries(STORY_OF_DIGITS).map(([digits, story]): [Story, string] => [story, digits]),
]);

/** Durations at speed 1; the speed divides each of them. */
export const USUAL_EXECUTION_MS = 15_000;
export const EXECUTION_AFTER_MS = 5_000;

/** ROUTING is a status that is not in the spec. `isDown`: the service responds with 500 instead. */
export type Chapter = readonly [afterMs: number, status: Status | 'ROUTING', isDown?: true];

const PLAIN: readonly Chapter[] = [
  [0, 'DEPOSIT_RECEIVED'],
  [EXECUTION_AFTER_MS, 'EXECUTING'],
  [USUAL_EXECUTION_MS, 'COMPLETED'],
];

/** Times count from the deposit; when a stage is reported late, the stages after it are delayed by as much. */
export const CHAPTERS: Readonly<Record<Story, readonly Chapter[]>> = {
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
    // A second stage with the same status: the payment completes only long after its stall was reported.
    [1_805_000, 'EXECUTING'],
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
