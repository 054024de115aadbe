import { deposit } from './deposit-words.ts';
import type { PaymentFacts } from './payment-facts.ts';
import type { Telling } from './standing.ts';
import type { SaidEvent } from './story.ts';
import { reasonWords } from './event-words.ts';
import { count, duration, shortened } from './words.ts';

const SECOND_MS = 1_000;
/** With it the error of a payment begins whose deposit went back. */
const REFUNDED = 'REFUNDED: ';
/** With it the error of a payment begins that was delivered, and is FAILED by the merchant's rule for sums. */
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

/** The last word of a provider that has fallen silent, or does not go on. */
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

/** The chain says otherwise, and no proof came before it did. */
function byWord({ standing: { proof }, story: { events } }: Telling): string {
  return proof === 'contradicted' && !events.some(isProvenCompletion) ? ' by the word of the provider' : '';
}

function completedWhen({ facts, standing, story: { payment, events } }: Telling): string {
  if (standing.late !== 'no') return standing.late === 'after_expiry' ? '' : ' after it had failed';
  const proven = events.find(isProvenCompletion);
  const at = proven === undefined ? facts.completedAt : Date.parse(proven.time);
  const after = at === null ? 0 : at - Date.parse(payment.createdAt);
  return after < SECOND_MS ? '' : `, ${duration(after)} after the quote`;
}

function isProvenCompletion({ type, data }: SaidEvent): boolean {
  return type === 'payment.completed' && data.verification?.state === 'proven';
}

export function failure(telling: Telling): string {
  const { facts, standing } = telling;
  if (!isPaid(telling)) return failureOf(facts);
  const paid = deposit(telling);
  if (facts.error?.startsWith(UNDERPAID) === true)
    return `${paid}; the provider delivered it, and UNDERPAID=fail makes it a failure.`;
  const isKept = !standing.isHeld && !isRefunded(facts);
  return `${paid}. ${failureOf(facts)}${isKept ? ' The provider reports no refund.' : ''}`;
}

/** Empty where the payment has failed since, and its failure says what went back. */
export function partlyRefunded({ facts, standing: { status } }: Telling): string {
  if (status === 'FAILED' && isRefunded(facts)) return '';
  return 'The provider reports that only a part was delivered, and that the rest went back.';
}

function isRefunded({ error, refundedAmount }: PaymentFacts): boolean {
  return refundedAmount !== null || error?.startsWith(REFUNDED) === true;
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

/** The sum is not what was asked, and the payment has ended or is withheld. */
export function settlesSum({ standing: { match, oddities } }: Telling): string {
  if (oddities.includes('other_token_received')) return 'Settle the difference.';
  if (match === 'underpaid') return 'Ask the payer for the rest, or settle the payment otherwise.';
  if (match === 'overpaid') return 'Give back what is too much.';
  return 'See whether the sum is settled now, and resolve the payment.';
}

/** The payment has ended, after its quote had expired or it had failed. */
export function settlesLate(telling: Telling): string {
  if (telling.standing.status !== 'FAILED') return 'Settle the order with the buyer.';
  if (isRefunded(telling.facts)) return 'Tell the buyer that the deposit went back.';
  return isPaid(telling) ? 'Ask the provider where the deposit is.' : 'Settle the order with the buyer.';
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

/** An anomaly moves nothing: its report was not taken over, or names what had come before. */
const UNMOVED: ReadonlySet<string> = new Set(['payment.anomaly', 'payment.stalled']);

export function standstill({ story: { events, payment, now } }: Telling): string {
  const told = events.findLastIndex(({ type }) => type === 'payment.stalled');
  const moved = events.slice(0, told).findLast(({ type }) => !UNMOVED.has(type))?.time ?? payment.createdAt;
  return `Nothing has moved for ${duration(now - Date.parse(moved))}.`;
}

const VERDICTS: Readonly<Record<string, (output: string, place: string) => string>> = {
  output_missing: (output, place) => `The ${output}${place} does not show the promised transfer.`,
  output_reverted: (output, place) => `The ${output} failed${place}.`,
  other_recipient: (output, place) => `The ${output}${place} pays another recipient.`,
  other_token: (output, place) => `The ${output}${place} pays another token than the quote promised.`,
  amount_short: (output, place) => `The ${output}${place} pays less than the quote promised.`,
  output_used_before: (output, place) => `The ${output}${place} belongs to another payment.`,
  double_spent: (output) =>
    `Another transaction spends the coins of the ${output}, which cannot come any more.`,
  output_reorged: (output) => `The chain took back the block of the ${output}.`,
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
