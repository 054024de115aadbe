import { deposit } from './deposit-words.ts';
import type { PaymentFacts } from './payment-facts.ts';
import type { SaidEvent, Telling } from './standing.ts';
import { reasonWords } from './event-words.ts';
import { count, duration, shortened } from './words.ts';

const SECOND_MS = 1_000;
/** The error of a payment whose deposit went back begins with this. */
const REFUNDED = 'REFUNDED: ';
/** The error of a payment that was delivered, and is FAILED by the merchant's rule for sums, begins with this. */
const UNDERPAID = 'UNDERPAID: ';
/** In the check of the transaction. */
const BLOCK = /block (\d+)/i;

export function received(telling: Telling): string {
  const next = telling.facts.isHeld ? 'holds it for a review' : 'has not begun the swap yet';
  return `${deposit(telling)}; the provider ${next}.`;
}

export function underWay(telling: Telling): string {
  return `${deposit(telling)}; the swap ${destination(telling.facts)}is under way.`;
}

/** The last status of a provider that has fallen silent, or stands still. */
export function wasUnderWay(telling: Telling): string {
  return `${deposit(telling)}; the provider reported the swap ${destination(telling.facts)}as under way.`;
}

function destination({ estimatedSymbol, toChain }: PaymentFacts): string {
  if (toChain === null) return '';
  return `${estimatedSymbol === null ? '' : `to ${estimatedSymbol} `}on ${toChain.name} `;
}

export function completion(telling: Telling): string {
  const paid = deposit(telling);
  return `${paid}${paid.endsWith(' had expired') ? ',' : ''} and completed${byWord(telling)}${completedWhen(telling)}.`;
}

/** Whether only the provider's word counts, since no proof came before the contradiction. */
function byWord({ standing: { proof }, story: { events } }: Telling): string {
  if (proof === 'none' || proof === 'proven' || events.some(isProvenCompletion)) return '';
  return ' by the word of the provider';
}

function completedWhen({ facts, standing, story: { payment, events } }: Telling): string {
  if (payment.late) return standing.isLate ? '' : ' after it had failed';
  const proven = events.find(isProvenCompletion);
  const at = proven === undefined ? facts.completedAt : Date.parse(proven.time);
  const after = at === null ? 0 : at - Date.parse(payment.createdAt);
  return after < SECOND_MS ? '' : `, ${duration(after)} after the quote`;
}

function isProvenCompletion({ type, data }: SaidEvent): boolean {
  return type === 'payment.completed' && data.verification?.state === 'proven';
}

export function failure(telling: Telling): string {
  return [isPaid(telling) ? `${deposit(telling)}.` : '', failureOf(telling.facts)].filter(Boolean).join(' ');
}

/** A provider may report a failure before any deposit. */
function isPaid({ facts: { depositTransaction, isOtherToken }, story }: Telling): boolean {
  const came = story.payment.amounts?.send.came ?? null;
  return came !== null || depositTransaction !== null || isOtherToken;
}

function failureOf({ error }: PaymentFacts): string {
  if (error === null) return 'Failed.';
  const reason = error.replace(/\.$/, '');
  return reason.startsWith(REFUNDED) ? `Refunded: ${reason.slice(REFUNDED.length)}.` : `Failed: ${reason}.`;
}

/** Says how to settle a failure whose deposit has not gone back. */
export function settlesFailure(telling: Telling): string {
  const { error, refundedAmount } = telling.facts;
  if (error?.startsWith(UNDERPAID) === true) return 'Settle the difference.';
  const isBack = refundedAmount !== null || error?.startsWith(REFUNDED) === true;
  return isBack || !isPaid(telling) ? '' : 'Ask the provider where the deposit is.';
}

/** Empty where nothing came. */
export function settlesExpiry({ story }: Telling): string {
  return (story.payment.amounts ?? null) === null ? '' : 'Ask the provider where the deposit is.';
}

/** A person has completed a payment whose completion was held back. */
export function released(telling: Telling): string {
  const { by = '', note = null } = telling.story.payment.resolution ?? {};
  const paid = deposit(telling);
  return `${paid}; ${by} released it without a proof${note === null ? '' : `, “${note}”`}.`;
}

export function resolved({ story }: Telling): string {
  const { reason = '', by = '', note = null } = story.payment.resolution ?? {};
  const how = reasonWords(reason);
  return `Resolved by ${by}: ${how.slice(0, 1).toLowerCase()}${how.slice(1)}${note === null ? '' : `, “${note}”`}.`;
}

export function standstill({ story: { events, payment, now } }: Telling): string {
  const told = events.findLastIndex(({ type }) => type === 'payment.stalled');
  const moved = events[told - 1]?.time ?? payment.createdAt;
  return `Nothing has moved for ${duration(now - Date.parse(moved))}.`;
}

const VERDICTS: Readonly<Record<string, (output: string, place: string) => string>> = {
  output_missing: (output, place) => `The ${output}${place} does not show the promised transfer.`,
  output_reverted: (output, place) => `The ${output} failed${place}.`,
  other_recipient: (output, place) => `The ${output}${place} pays another recipient.`,
  other_token: (output, place) => `The ${output}${place} pays another token than the quote promised.`,
  amount_short: (output, place) => `The ${output}${place} pays less than the quote promised.`,
  output_used_before: (output, place) => `The ${output}${place} belongs to another payment.`,
  output_reorged: (output) => `The chain took back the block of the ${output}.`,
  double_spent: (output) =>
    `Another transaction spends the coins of the ${output}, which cannot come any more.`,
};

/** The finding of the chain that contradicts the provider. */
export function verdict({ facts, standing, story }: Telling): string {
  const { txHash = null, block = null, checks = [] } = story.payment.verification ?? {};
  const hash = txHash ?? facts.outputTransaction;
  const inBlock = BLOCK.exec(checks.find(({ name }) => name === 'receipt')?.detail ?? '')?.[1];
  const number = block ?? (inBlock === undefined ? null : Number(inBlock));
  const say = VERDICTS[standing.verdict ?? ''];
  const output = `output transaction${hash === null ? '' : ` ${shortened(hash)}`}`;
  const place = number === null ? '' : ` in block ${count(number)}`;
  return say === undefined ? 'The chain contradicts the provider.' : say(output, place);
}
