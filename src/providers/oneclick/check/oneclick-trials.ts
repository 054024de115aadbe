import { isRecord } from '../../../domain/payment/reading.ts';
import { ZERO_ADDRESS } from '../../shared/vm-addresses.ts';
import { isGood, NOBODY, type OneClickAsking, type Seen, wordsOf } from './oneclick-asking.ts';

const BITCOIN = 8_253_038;
const BITCOIN_WALLET = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
const WRONG_KEY = { 'x-api-key': 'a-key-that-nobody-has' };
const MOST_FOREIGN_BPS = 100;
const DAY_MS = 86_400_000;
/** Chains whose least amounts were moved now and then, with the sample's 5 USDC below them. */
const FLOORS = [
  ['BNB Chain', 56, '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d'],
  ['Tron', 728_126_428, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
] as const;
const MEMO_CHAINS = [
  ['XRP', 537_724],
  ['TON', 224_235_520],
] as const;

/** Returns the list of tokens; null where nothing else can be asked. */
export async function checkTokens(asking: OneClickAsking): Promise<Seen | null> {
  const answer = await asking.readAssets();
  const hasSample = hasOrder(asking);
  const saw = isGood(answer) ? `${answer.list.length} tokens` : wordsOf(answer);
  asking.say('tokens', 'a list with USDC of Base and Arbitrum', saw, hasSample, true);
  return hasSample ? answer : null;
}

function hasOrder(asking: OneClickAsking): boolean {
  try {
    return asking.order().amount !== '';
  } catch {
    return false;
  }
}

/** Bitcoin has been listed twice: the id that the adapter takes must be quoted. */
export async function checkBitcoin(asking: OneClickAsking, tokens: Seen): Promise<void> {
  const taken = asking.assets.find(({ chain, address }) => chain.id === BITCOIN && address === ZERO_ADDRESS);
  if (taken === undefined) return asking.notTried('Bitcoin', 'it is not listed');
  const ids = tokens.list.filter(isRecord).filter(({ blockchain }) => blockchain === 'btc');
  const saw: string[] = [];
  let isQuoted = false;
  for (const { assetId } of ids) {
    const order = asking.order({
      toChainId: BITCOIN,
      toToken: ZERO_ADDRESS,
      amount: '50',
      recipient: BITCOIN_WALLET,
    });
    const answer = await asking.ask('/quote', { ...asking.body(order), destinationAsset: assetId });
    if (assetId === taken.id) isQuoted = isGood(answer);
    saw.push(`${String(assetId)} ${wordsOf(answer)}`);
  }
  asking.say('Bitcoin', `${taken.id} is quoted`, saw.join(', '), isQuoted);
}

export async function checkKeys(asking: OneClickAsking): Promise<void> {
  const wrong = await asking.ask('/quote', asking.body(), WRONG_KEY);
  asking.say('wrong key', '401', wordsOf(wrong), wrong.status === 401);
  const keyless = await asking.ask('/quote', asking.body(), {});
  const fee = foreignBps(keyless, asking);
  const least = fee !== null && fee <= MOST_FOREIGN_BPS;
  asking.say('fee without a key', `at most ${MOST_FOREIGN_BPS} bp`, feeWords(keyless, fee), least);
  if (asking.apiKey === null) {
    for (const check of ['fee with the key', 'key as a bearer token'])
      asking.notTried(check, 'ONECLICK_API_KEY is not set');
    return;
  }
  const keyed = await asking.ask('/quote', asking.body());
  const keyedFee = foreignBps(keyed, asking);
  asking.say(
    'fee with the key',
    'none, or a lower one',
    feeWords(keyed, keyedFee),
    (keyedFee ?? 1e9) < (fee ?? 0),
  );
  const bearer = await asking.ask('/quote', asking.body(), { authorization: `Bearer ${asking.apiKey}` });
  const isTaken = isGood(bearer) && foreignBps(bearer, asking) === keyedFee;
  const saw = isTaken ? 'it counts as the key' : feeWords(bearer, foreignBps(bearer, asking));
  asking.say('key as a bearer token', 'unknown: Paybell sends x-api-key', saw, true);
}

/** Reads the fee that 1Click takes for itself; null where the answer does not say. */
function foreignBps({ json }: Seen, { options }: OneClickAsking): number | null {
  const { quoteRequest } = json;
  if (!isRecord(quoteRequest)) return null;
  const fees: unknown = quoteRequest['appFees'] ?? [];
  if (!Array.isArray(fees)) return null;
  const ours = new Set(options.appFees.map(({ recipient }) => recipient));
  const foreign = fees.filter(isRecord).filter(({ recipient }) => !ours.has(String(recipient)));
  return foreign.reduce((sum, { fee }) => sum + Number(fee), 0);
}

function feeWords(answer: Seen, bps: number | null): string {
  return isGood(answer) ? `${bps ?? 'an unreadable number of'} bp` : wordsOf(answer);
}

export async function checkFees(asking: OneClickAsking): Promise<void> {
  const tiny = await asking.ask('/quote', { ...asking.body(), amount: '1' });
  const isNamed = /try at least \d+/.test(wordsOf(tiny));
  asking.say('amount of one unit', '400 "… try at least" and a number', wordsOf(tiny), isNamed);
  for (const [name, fromChainId, fromToken] of FLOORS) {
    const answer = await quoteFrom(asking, fromChainId, fromToken);
    if (answer === null)
      asking.notTried(`least amount of ${name}`, 'no token, or no refund address of ours there');
    else asking.say(`least amount of ${name}`, 'unknown: they move', wordsOf(answer), true);
  }
  const { appFees } = asking.options;
  if (appFees.length === 0) asking.notTried('app fees', 'ONECLICK_APP_FEES is not set');
  else {
    const { json } = await asking.ask('/quote', asking.body());
    const echoed = isRecord(json['quoteRequest']) ? json['quoteRequest']['appFees'] : null;
    asking.say('app fees', 'half of ours for us', JSON.stringify(echoed ?? null), echoed !== null);
  }
  for (const [name, fromChainId] of MEMO_CHAINS) await checkMemo(asking, name, fromChainId);
  await checkAddresses(asking);
}

/** Null where the adapter itself refuses it. */
async function quoteFrom(
  asking: OneClickAsking,
  fromChainId: number,
  fromToken: string,
  isDry = true,
): Promise<Seen | null> {
  try {
    const order = asking.order({ fromChainId, fromToken });
    return await asking.ask('/quote', asking.body(order, isDry));
  } catch {
    return null;
  }
}

/** Needs a real quote: a dry quote has no address, and so no memo. */
async function checkMemo(asking: OneClickAsking, name: string, chainId: number): Promise<void> {
  const answer = await quoteFrom(asking, chainId, ZERO_ADDRESS, false);
  const check = `memo of ${name}`;
  if (answer === null) return asking.notTried(check, 'no token, or no refund address of ours there');
  const memo = isRecord(answer.json['quote']) ? answer.json['quote']['depositMemo'] : undefined;
  const saw = isGood(answer) ? (memo === undefined ? 'none' : 'a memo') : wordsOf(answer);
  asking.say(check, 'none', saw, memo === undefined && isGood(answer));
}

/** NOBODY is written with the right checksum: its letters in another case are wrong. */
async function checkAddresses(asking: OneClickAsking): Promise<void> {
  const answer = await asking.ask('/quote', asking.body());
  const echo = isRecord(answer.json['quoteRequest']) ? String(answer.json['quoteRequest']['recipient']) : '';
  const saw = echo === NOBODY ? 'as sent' : echo === '' ? wordsOf(answer) : 'in other letters';
  asking.say('letters of an echoed address', 'as sent', saw, echo === NOBODY);
  const wrong = await asking.ask('/quote', { ...asking.body(), recipient: NOBODY.replace('dEaD', 'DeAd') });
  asking.say('wrong checksum of an address', 'unknown: it may be refused', wordsOf(wrong), true);
}

export async function checkDeadlines(asking: OneClickAsking): Promise<void> {
  const at = (ms: number): object => ({
    ...asking.body(),
    deadline: new Date(Date.now() + ms).toISOString(),
  });
  const past = await asking.ask('/quote', at(-DAY_MS));
  asking.say('deadline in the past', '400', wordsOf(past), past.status === 400);
  const far = await asking.ask('/quote', at(90 * DAY_MS));
  asking.say('deadline in 90 days', 'it is taken', wordsOf(far), isGood(far));
}
