import { isNativeCoin } from '../chains/native-addresses.ts';
import { compareAmounts, toUnits } from './amount.ts';
import { fieldsOf, readFields, readInstant, type Fields } from './reading.ts';
import { readRoute } from './route.ts';
import { readTerms } from './terms.ts';
import type { PromisedOutput } from '../proof/output.ts';

/** The stored facts of a payment whose output Paybell has to prove. */
export interface ProvenTexts {
  readonly quoteText: string | null;
  readonly reportText: string | null;
  readonly createdAt: Date;
  /** True: the payment was paid before it was adopted, so that its output may be older than the payment's row. */
  readonly wasUnderWay: boolean;
}

/** Why no search for the output is possible: neither the quote nor the report states this part. */
export type UnknownPromise = 'no_chain' | 'no_token' | 'no_recipient' | 'no_amount';

const MAX_HASHES = 5;
const ALL_BPS = 10_000n;
/**
 * How much older than its adoption a payment's output may be: for a named transaction as long as a person may still ask about
 * the payment, for a search as far as the search goes.
 */
const ADOPTED = { namedMs: 30 * 86_400_000, searchedMs: 86_400_000 };

/** The transfer that a quote promised to its recipient, and the transactions that the report names for it. */
export function promisedOutput(texts: ProvenTexts, toleranceBps: number): PromisedOutput | UnknownPromise {
  const report = readFields(texts.reportText);
  const { destination, recipient } = readRoute(texts);
  const chainId = Number(destination.chainId ?? Number.NaN);
  if (!Number.isSafeInteger(chainId) || chainId <= 0) return 'no_chain';
  if (destination.token === null) return 'no_token';
  if (recipient === null) return 'no_recipient';
  const amounts = amountsOf(texts.quoteText, toleranceBps);
  if (amounts === null) return 'no_amount';
  const txHashes = outputHashes(report, chainId);
  return {
    chainId,
    token: tokenOf(destination.token),
    recipient,
    ...amounts,
    txHashes,
    since: sinceOf(report, texts, txHashes.length > 0),
  };
}

/** Null: the native coin. */
export function tokenOf(address: string): string | null {
  return isNativeCoin(address) ? null : address;
}

/** False only if the quote's own figure states a lower value. `fromUsd` and the figure are decimal strings. */
export function isWorthProof(quoteText: string | null, fromUsd: string | null): boolean {
  if (fromUsd === null) return true;
  const usd = fieldsOf(readFields(quoteText)['receive'])['estimatedAmountUsd'];
  return (
    typeof usd !== 'string' || !/^\d{1,60}(?:\.\d{1,60})?$/.test(usd) || compareAmounts(usd, fromUsd) >= 0
  );
}

/**
 * The least and the most amount, in the smallest unit: the promised minimum, or the estimate less the tolerance, rounded
 * down; and twice the promise, if that is larger.
 */
function amountsOf(
  quoteText: string | null,
  toleranceBps: number,
): Pick<PromisedOutput, 'leastAmount' | 'mostAmount'> | null {
  const { decimals, least, amount } = readTerms(quoteText).receive;
  if (decimals === null || (least === null && amount === null)) return null;
  const units = (text: string | null): bigint => (text === null ? 0n : toUnits(text, decimals));
  const [minimum, estimate] = [units(least), units(amount)];
  const tolerated = (estimate * (ALL_BPS - BigInt(toleranceBps))) / ALL_BPS;
  const promise = estimate > minimum ? estimate : minimum;
  return { leastAmount: least === null ? tolerated : minimum, mostAmount: 2n * promise };
}

/** `execution.outputTxHash`, and the fills that the report lists on the output's chain. */
function outputHashes(report: Fields, chainId: number): string[] {
  const execution = fieldsOf(report['execution']);
  const steps = Array.isArray(execution['steps']) ? execution['steps'].map(fieldsOf) : [];
  const fills = steps.filter(
    (step) => step['type'] === 'fill' && Number(step['chainId']) === chainId && step['status'] !== 'failure',
  );
  const named = [execution['outputTxHash'], ...fills.map(({ txHash }) => txHash)];
  const hashes = named.filter((hash): hash is string => typeof hash === 'string' && hash !== '');
  return [...new Set(hashes)].slice(0, MAX_HASHES);
}

/** The provider's time of its quote counts only if the payment was adopted after its deposit. */
function sinceOf(report: Fields, { createdAt, wasUnderWay }: ProvenTexts, isNamed: boolean): Date {
  if (!wasUnderWay) return createdAt;
  const agoMs = isNamed ? ADOPTED.namedMs : ADOPTED.searchedMs;
  const quotedAt = readInstant(report['createdAt']) ?? new Date(createdAt.getTime() - agoMs);
  return quotedAt < createdAt ? quotedAt : createdAt;
}
