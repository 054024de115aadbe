import { isRecord } from '../../../domain/payment/reading.ts';
import { readOffer, readPrice } from '../offer.ts';
import { isSigned } from '../quote-signature.ts';
import { checkBy, CheckList, type ProviderCheck } from '../../shared/check-list.ts';
import { isGood, OneClickAsking, type OneClickPlace, type Seen, wordsOf } from './oneclick-asking.ts';
import { checkBitcoin, checkDeadlines, checkFees, checkKeys, checkTokens } from './oneclick-trials.ts';

/** The checks that need a payment, another service, or time. */
const NEEDS_MORE: readonly (readonly [string, string])[] = [
  ['late deposits', 'needs money: a deposit between the two deadlines, and the reason of its refund'],
  ['several deposits', 'needs money: whether depositedAmount is a sum, and what one after SUCCESS shows'],
  ['part of the amount', 'needs money: whether EXACT_INPUT adds two deposits up'],
  ['refunds', "needs money: where a refund's hash appears, and whether REFUNDED comes before it"],
  ['wrapped NEAR', 'needs money: whether wNEAR is delivered as NEAR'],
  ['hashes of TON', 'needs money: their form'],
  ['old statuses', 'needs time: for how many months a status can be read'],
  ['the signing key', 'no procedure for another one is published: ONECLICK_QUOTE_KEY'],
  ['the Explorer', 'not asked: Paybell does not use it'],
  ['429', 'not provoked: its body, and whether it says when to come back'],
];
const INVENTED_HASH = `0x${'5a'.repeat(32)}`;

/** The checks for the first day: some twenty requests, whose real quotes are never paid. */
export async function checkOneClick(asking: OneClickAsking): Promise<void> {
  const tokens = await checkTokens(asking);
  if (tokens !== null) {
    await checkBitcoin(asking, tokens);
    const address = await checkQuotes(asking);
    if (address === null) asking.notTried('status', 'no quote was made', true);
    else await checkStatus(asking, address);
    await checkKeys(asking);
    await checkFees(asking);
    await checkDeadlines(asking);
    const headers = [...asking.limitHeaders].join(', ') || 'none';
    asking.say('headers of limits', 'none', headers, asking.limitHeaders.size === 0);
  } else asking.notTried('all others', 'the tokens could not be read', true);
  for (const [check, why] of NEEDS_MORE) asking.notTried(check, why);
}

/** Returns the deposit address of a real quote; null where none passes the adapter's checks. */
async function checkQuotes(asking: OneClickAsking): Promise<string | null> {
  const exact = asking.order({ amountIs: 'receive' });
  for (const [check, order] of [
    ['dry quote', asking.order()],
    ['dry quote of an exact output', exact],
  ] as const) {
    const body = asking.body(order);
    const answer = await asking.ask('/quote', body);
    const reading = readPrice(answer.json, order, body, asking.quoteKey);
    const saw =
      isGood(answer) && reading.kind === 'unsafe' ? `it differs in: ${reading.check}` : wordsOf(answer);
    asking.say(
      check,
      'HTTP 201 or 200, signed, and as asked for',
      saw,
      reading.kind === 'good',
      order !== exact,
    );
  }
  const order = asking.order();
  const body = asking.body(order, false);
  const answer = await asking.ask('/quote', body);
  const reading = readOffer(answer.json, order, body, asking.quoteKey);
  const saw =
    isGood(answer) && reading.kind === 'unsafe' ? `it differs in: ${reading.check}` : wordsOf(answer);
  asking.say('quote', 'HTTP 201, signed, and as asked for', saw, reading.kind === 'good', true);
  return reading.kind === 'good' ? reading.value.depositAddress : null;
}

async function checkStatus(asking: OneClickAsking, address: string): Promise<void> {
  const path = `/status?depositAddress=${encodeURIComponent(address)}`;
  const first = await asking.ask(path);
  const word = statusOf(first);
  const saw = isGood(first) ? `HTTP ${first.status} ${word}` : wordsOf(first);
  const isExpected = word === 'PENDING_DEPOSIT' || first.status === 404;
  asking.say('status', 'PENDING_DEPOSIT, or 404 for a moment', saw, isExpected, true);
  const response = first.json['quoteResponse'];
  if (isRecord(response) && asking.quoteKey !== null) {
    const { quote, quoteRequest, timestamp, signature } = response;
    const isVerified =
      isRecord(quote) &&
      isRecord(quoteRequest) &&
      isSigned({ quote, quoteRequest, timestamp, signature }, asking.quoteKey);
    asking.say('signature in a status', 'it verifies', isVerified ? 'it does' : 'it does not', isVerified);
  } else asking.notTried('signature in a status', 'the status has no quote');
  const wrong = await asking.ask(`${path}&depositMemo=12345`);
  asking.say('status with a wrong memo', '404', wordsOf(wrong), wrong.status === 404);
  const submitted = await asking.ask('/deposit/submit', { txHash: INVENTED_HASH, depositAddress: address });
  asking.say('invented deposit', 'HTTP 201 or 200', wordsOf(submitted), isGood(submitted));
  const after = await asking.ask(path);
  const shown = isGood(after) ? statusOf(after) : wordsOf(after);
  const isUnmoved = shown === 'PENDING_DEPOSIT';
  asking.say('status after an invented deposit', 'PENDING_DEPOSIT: a hint proves nothing', shown, isUnmoved);
}

function statusOf({ json }: Seen): string {
  return typeof json['status'] === 'string' ? json['status'] : 'no word';
}

/** The check of the 1Click that these settings name. */
export function oneClickCheck(
  place: Omit<OneClickPlace, 'timeoutMs'>,
  { timeoutMs }: Pick<OneClickPlace, 'timeoutMs'>,
): ProviderCheck {
  return checkBy(async (isWhole) => {
    const list = new CheckList(place.apiKey);
    const asking = new OneClickAsking({ ...place, timeoutMs }, list);
    await (isWhole ? checkOneClick(asking) : checkTokens(asking));
    return list;
  });
}
