import { differencesOf, type Difference } from './differences.ts';

/** Reports that were not taken over: no later report is compared with them. */
const REFUSED: ReadonlySet<string> = new Set([
  'went_back',
  'other_address',
  'unknown_status',
  'changed_after_completed',
]);
/** The changes of a report that a sentence names. */
const MOST_NAMED = 2;

interface Reporting {
  readonly data: { readonly reason?: string; readonly payment: unknown };
}

/** A change in a part of a report: the path of the part, the words where the part was absent before, and where it was not. */
type Change = readonly [path: RegExp, reported: string, changed: string];

const CHANGES: readonly Change[] = [
  [/^execution\.refund/, 'a refund was reported', 'the refund changed'],
  [/^error$/, 'an error was reported', 'the error changed'],
  [
    /^deposit\.heldForReview$/,
    'the provider holds the deposit for a review',
    'the review of the deposit changed',
  ],
  [/^deposit\.txHash$/, 'the deposit transaction was reported', 'another deposit transaction was reported'],
  [/^deposit\.amount/, 'the deposit was reported', 'the deposited amount changed'],
  [/^deposit\.from$/, 'the address of the payer was reported', 'the address of the payer changed'],
  [
    /^execution\.outputTxHash$/,
    'the output transaction was reported',
    'another output transaction was reported',
  ],
  [/^execution\.output/, 'the output was reported', 'the output changed'],
  [/^(?:deposit|execution)\..*(?:At|[tT]ime(?:stamp)?)$/, 'a time was reported', 'a time changed'],
  [/^execution\.steps/, 'a step of the execution was reported', 'a step of the execution changed'],
  [/^gas/, 'the gas was reported', 'the gas changed'],
  [/^expiresAt$/, 'the expiry was reported', 'the expiry changed'],
  [/^deposit/, 'more of the deposit was reported', 'the deposit changed'],
  [/^execution/, 'more of the execution was reported', 'the execution changed'],
];

/** `The deposit transaction was reported, and the gas changed`; null: the reports say the same. */
export function reportChange(event: Reporting, before: readonly Reporting[]): string | null {
  const former = before.findLast(({ data }) => data.payment !== null && !REFUSED.has(data.reason ?? ''));
  const differences = differencesOf(former?.data.payment ?? null, event.data.payment);
  const named = CHANGES.flatMap((change) => wordsOf(change, differences)).slice(0, MOST_NAMED);
  if (named.length > 0) return capitalised(named.join(', and '));
  const paths = differences.map(({ path }) => path).slice(0, MOST_NAMED);
  return paths.length === 0 ? null : `The report changed: ${paths.join(', ')}`;
}

/** The words for a change; empty where an earlier row names the same parts. */
function wordsOf(change: Change, differences: readonly Difference[]): string[] {
  const [, reported, changed] = change;
  const own = differences.filter(({ path }) => CHANGES.find(([part]) => part.test(path)) === change);
  if (own.length === 0) return [];
  return [own.every(({ before }) => before === null) ? reported : changed];
}

export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
