import type { PaymentFacts } from './payment-facts.ts';
import { lastUnseen, type Telling } from './standing.ts';
import type { SaidPayment } from './story.ts';
import { duration, money, until } from './words.ts';

const SECOND_MS = 1_000;

export function waits(telling: Telling): string {
  const { facts, story } = telling;
  const end = deadline(story.payment, story.now);
  const { amounts = null } = story.payment;
  if (amounts === null) return `Waits for ${askedSum(facts)}${placeOf(facts)}${memo(facts)}${end}.`;
  const paid = `${deposit(telling)}${placeOf(facts)}`;
  return amounts.match === 'underpaid'
    ? `${paid}; the provider waits for the rest${end}.`
    : `${paid}; the provider has not confirmed it yet.`;
}

export function expired(telling: Telling): string {
  const { facts, standing, story } = telling;
  const { amounts = null, tracking } = story.payment;
  const isWatched = tracking === 'watching';
  if (amounts !== null)
    return `${deposit(telling)}, and the provider let it expire${isWatched ? '; still watched' : ''}.`;
  const missing = `deposit of ${askedSum(facts)}`;
  const end = `${quoteLife(story.payment)}${isWatched ? '; still watched for a late deposit' : ''}.`;
  return standing.unseen === 'none' ? `No ${missing} was seen${end}` : `The provider saw no ${missing}${end}`;
}

/** `Paid 1.00 USDC instead of 25.42 USDC, 12 s after the quote had expired` */
export function deposit({ facts, standing, story: { payment, events } }: Telling): string {
  const sum = sumOf(payment, facts);
  if (standing.late !== 'after_expiry') return `Paid${sum}`;
  const expiry = payment.expiresAt === null ? null : Date.parse(payment.expiresAt);
  const seen = events.find(({ type }) => type === 'payment.deposit_received');
  const at = facts.detectedAt ?? (seen === undefined ? null : Date.parse(seen.time));
  if (expiry === null || at === null) return `Paid${sum}, after the quote had expired`;
  if (at <= expiry) return `Paid${sum} in time, reported after the quote had expired`;
  const after = at - expiry < SECOND_MS ? 'just' : duration(at - expiry);
  return `Paid${sum}, ${after} after the quote had expired`;
}

const OTHER_TOKEN = ' in another token';

/** Empty where the deposit is said to be in another token. */
export function otherToken({ facts, story: { payment } }: Telling): string {
  return sumOf(payment, facts) === OTHER_TOKEN ? '' : 'The payer sent another token than the quote asks for.';
}

/** ` 1.00 USDC instead of 25.42 USDC` */
function sumOf({ amounts = null }: SaidPayment, { amount, symbol, isOtherToken }: PaymentFacts): string {
  const came = amounts?.send.came ?? null;
  // The sum of another token is left out: a token with a sum is the asked one, however its provider writes it.
  if (isOtherToken && came === null) return OTHER_TOKEN;
  if (amounts !== null && came === null) return ' a sum that the provider does not name';
  const sum = came ?? amount;
  if (sum === null) return '';
  const isOther = amounts?.match === 'underpaid' || amounts?.match === 'overpaid';
  const asked = isOther ? (amounts.send.asked ?? amount) : null;
  return ` ${money(sum, symbol)}${asked === null ? '' : ` instead of ${money(asked, symbol)}`}`;
}

/** A deposit that the chain shows and the provider does not report, with the sum of all of them. */
export function unseenDeposit({ facts, story }: Telling): string {
  const sum = lastUnseen(story.events)?.data.deposit?.sum ?? null;
  const what = sum === null ? 'a deposit' : `a deposit of ${money(sum, facts.symbol)}`;
  return `The chain shows ${what} that the provider does not report.`;
}

function askedSum({ amount, symbol }: PaymentFacts): string {
  return amount === null ? 'the deposit' : money(amount, symbol);
}

function placeOf({ fromChain }: PaymentFacts): string {
  return fromChain === null ? '' : ` on ${fromChain.name}`;
}

function memo({ depositMemo }: PaymentFacts): string {
  return depositMemo === null ? '' : ` with the memo ${depositMemo}`;
}

function deadline({ expiresAt }: SaidPayment, now: number): string {
  if (expiresAt === null) return '';
  if (Date.parse(expiresAt) > now) return `; the quote expires ${until(expiresAt, now)}`;
  return "; the quote's time is over, and the provider has not said so yet";
}

function quoteLife({ createdAt, expiresAt }: SaidPayment): string {
  return expiresAt === null ? '' : ` within ${duration(Date.parse(expiresAt) - Date.parse(createdAt))}`;
}
