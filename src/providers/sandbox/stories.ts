import { fractionOf } from '../../domain/payment/amount.ts';
import type { Status } from '../../domain/payment/status.ts';
import type { SimulatedKind } from '../../domain/proof/simulated-output.ts';

/** The differences between a report and the usual one; percents are of the amount that the quote asks for, or promises. */
export interface ReportFacts {
  /** The service responds with 500 instead. */
  readonly isDown?: true;
  readonly came?: number;
  readonly isSecond?: true;
  readonly isOtherToken?: true;
  readonly isHeld?: true;
  readonly isOtherAddress?: true;
  readonly out?: number;
  readonly back?: number;
  /** Why it went back. */
  readonly why?: string;
}

/** ROUTING is a status that is not in the spec. */
export interface Chapter {
  readonly afterMs: number;
  readonly status: Status | 'ROUTING';
  readonly said: ReportFacts;
}

interface Plot {
  /** The last fraction digits of an amount that select the story. */
  readonly digits: string;
  /** Times count from the deposit; when a stage is reported late, later stages are delayed by as much. */
  readonly chapters: readonly Chapter[];
  /** When the sandbox's own payer pays; left out: soon. */
  readonly pays?: 'never' | 'late';
  /** No deposit keeps the quote from its expiry. */
  readonly expires?: true;
  readonly hasMemo?: true;
  /** How the sandbox's own chain shows the output; left out: as the provider reports it. */
  readonly onChain?: SimulatedKind;
  /** The chain has the deposit long before the provider reports it. */
  readonly isUnseen?: true;
}

/** Durations at speed 1; the speed divides each of them. */
export const USUAL_EXECUTION_MS = 15_000;
export const EXECUTION_AFTER_MS = 5_000;
/** In seconds; long enough for a report of a stall with the default STALLED_AFTER_SECONDS. */
const STALLED = 915;
/** In seconds; longer than the default DEPOSIT_UNSEEN_SECONDS and the first inspection of a deposit address. */
const UNSEEN = 1_480;

const received = (seconds: number, said?: ReportFacts): Chapter => at(seconds, 'DEPOSIT_RECEIVED', said);
const executing = (seconds: number, said?: ReportFacts): Chapter => at(seconds, 'EXECUTING', said);
const completed = (seconds: number, said?: ReportFacts): Chapter => at(seconds, 'COMPLETED', said);
const failed = (seconds: number, said?: ReportFacts): Chapter => at(seconds, 'FAILED', said);

const BEGINNING = [received(0), executing(5)];
const PLAIN = [...BEGINNING, completed(15)];
const SECOND = { isSecond: true } as const;
const DOWN = { isDown: true } as const;
const HELD = { isHeld: true } as const;
const SHORT = { came: 40 };
/** The whole deposit is swapped, whatever amount the quote asked for. */
const swapped = (came: number): Chapter[] => [
  received(0, { came }),
  executing(5, { came }),
  completed(15, { came, out: came }),
];

const PLOTS = {
  plain: { digits: '00', chapters: PLAIN },
  fails: { digits: '01', chapters: [...BEGINNING, failed(15)] },
  unpaid: { digits: '02', chapters: PLAIN, pays: 'never' },
  late: { digits: '03', chapters: PLAIN, pays: 'late' },
  // A second stage with the same status: the payment completes only long after its stall was reported.
  keeps_executing: { digits: '04', chapters: [...BEGINNING, executing(1_805), completed(3_605)] },
  skips_ahead: { digits: '05', chapters: [completed(15)] },
  unknown_status: { digits: '06', chapters: [received(0), at(5, 'ROUTING'), executing(20), completed(35)] },
  goes_back: { digits: '07', chapters: [...BEGINNING, received(20), executing(35), completed(50)] },
  outage: { digits: '08', chapters: [...BEGINNING, executing(20, DOWN), executing(80), completed(95)] },
  refunded: { digits: '909', chapters: [...BEGINNING, failed(15, back(100, 'the price moved too far'))] },
  partly_refunded: { digits: '910', chapters: [...BEGINNING, completed(15, { out: 60, back: 40 })] },
  underpaid: { digits: '911', chapters: swapped(40) },
  underpaid_refunded: {
    digits: '912',
    chapters: [received(0, SHORT), failed(15, { ...SHORT, ...back(40, 'too little came') })],
  },
  overpaid: { digits: '913', chapters: swapped(150) },
  two_deposits: {
    digits: '914',
    chapters: [received(0, SHORT), received(10, SECOND), executing(15, SECOND), completed(25, SECOND)],
  },
  deposit_after_completed: { digits: '915', chapters: [...PLAIN, completed(45, { ...SECOND, came: 200 })] },
  refund_after_success: {
    digits: '916',
    chapters: [...PLAIN, failed(45, back(100, 'the delivery was reverted'))],
  },
  // Paybell's hint about the deposit turns this story into the plain one.
  unseen_deposit: { digits: '917', chapters: [], expires: true },
  wrong_token: {
    digits: '918',
    chapters: [at(0, 'AWAITING_DEPOSIT', { isOtherToken: true })],
    expires: true,
  },
  late_refund: {
    digits: '919',
    chapters: [failed(1_200, back(100, 'it came after the expiry'))],
    pays: 'late',
    expires: true,
  },
  memo: { digits: '920', chapters: PLAIN, hasMemo: true },
  other_address: {
    digits: '921',
    chapters: [...BEGINNING, executing(20, { isOtherAddress: true }), executing(35), completed(50)],
  },
  silence: {
    digits: '922',
    // A second stage of silence, so that a poll in this stage fails when the stall is due.
    chapters: [...BEGINNING, ...[20, 20 + STALLED].map((s) => executing(s, DOWN)), completed(35 + STALLED)],
  },
  held_for_review: {
    digits: '923',
    chapters: [received(0, HELD), received(STALLED, HELD), executing(15 + STALLED), completed(25 + STALLED)],
  },
  // The provider reports a plain completion, but the chain shows otherwise.
  output_missing: shown('924', 'output_missing'),
  output_reverted: shown('925', 'output_reverted'),
  other_recipient: shown('926', 'other_recipient'),
  other_token: shown('927', 'other_token'),
  amount_short: shown('928', 'amount_short'),
  output_used_before: shown('929', 'output_used_before'),
  output_reorged: shown('930', 'output_reorged'),
  proven_late: shown('931', 'mined_late'),
  unverified: shown('932', 'silent'),
  deposit_unseen_by_provider: {
    digits: '933',
    chapters: [received(UNSEEN), executing(UNSEEN + 5), completed(UNSEEN + 15)],
    expires: true,
    isUnseen: true,
  },
  double_spent: shown('934', 'double_spent'),
} as const satisfies Record<string, Plot>;

/** The course of a sandbox payment, chosen by its amount or by its `metadata.story`. */
export type Story = keyof typeof PLOTS;

export function plotOf(story: Story): Plot {
  return PLOTS[story];
}

/** The stories by the fraction digits that choose them; all other digits choose the plain story. */
export const DIGITS_OF_STORY: ReadonlyMap<Story, string> = new Map(
  Object.entries(PLOTS).map(([story, { digits }]) => [story as Story, digits]),
);

/** The stories that differ from the plain one only in the chain's finding, which needs VERIFY. */
export const STORIES_ON_CHAIN: readonly Story[] = [...DIGITS_OF_STORY.keys()].filter(
  (story) => plotOf(story).onChain !== undefined || plotOf(story).isUnseen === true,
);

const STORY_OF_DIGITS = new Map([...DIGITS_OF_STORY].map(([story, digits]) => [digits, story]));

/** Looks up the last three fraction digits, then the last two. */
export function storyOf(amount: string): Story {
  const fraction = fractionOf(amount);
  const of = (count: number): Story | undefined => STORY_OF_DIGITS.get(fraction.slice(-count));
  return of(3) ?? of(2) ?? 'plain';
}

function at(seconds: number, status: Chapter['status'], said: ReportFacts = {}): Chapter {
  return { afterMs: seconds * 1_000, status, said };
}

function shown(digits: string, onChain: SimulatedKind) {
  return { digits, chapters: PLAIN, onChain } as const;
}

function back(percent: number, why: string): ReportFacts {
  return { back: percent, why };
}
