import type { SeenTransfer, UnseenDeposit, WatchedDeposit } from '../proof/output.ts';
import { fromUnits } from './amount.ts';
import { tokenOf } from './promised-output.ts';
import { isRecord } from './reading.ts';
import { readRoute } from './route.ts';

/** The stored facts of an unpaid payment. */
export interface UnpaidTexts {
  readonly quoteText: string | null;
  readonly reportText: string | null;
  readonly createdAt: Date;
  readonly txHashes: readonly string[];
}

const MAX_DECIMALS = 60;

/** Where a payer's deposit would be; null: neither the quote nor the report says it, or the address needs a memo. */
export function watchedDeposit(texts: UnpaidTexts): WatchedDeposit | null {
  const { origin, depositAddress } = readRoute(texts);
  const chainId = Number(origin.chainId ?? Number.NaN);
  const isKnown = Number.isSafeInteger(chainId) && chainId > 0;
  if (!isKnown || origin.token === null || depositAddress === null) return null;
  // An address with a memo is of many payments.
  if (sendOf(texts.quoteText)['depositMemo'] !== undefined) return null;
  const { txHashes, createdAt: since } = texts;
  return { chainId, token: tokenOf(origin.token), depositAddress, txHashes, since };
}

export function unseenDeposit(
  { txHash, amount, blockNumber }: SeenTransfer,
  chainId: number,
  quoteText: string | null,
): UnseenDeposit {
  const token = sendOf(quoteText)['token'];
  const decimals = isRecord(token) ? token['decimals'] : null;
  const isKnown =
    typeof decimals === 'number' && Number.isInteger(decimals) && decimals >= 0 && decimals <= MAX_DECIMALS;
  return {
    chainId,
    txHash,
    amount: isKnown ? fromUnits(amount, decimals) : null,
    amountRaw: amount.toString(),
    block: blockNumber,
  };
}

function sendOf(quoteText: string | null): Readonly<Record<string, unknown>> {
  const quote: unknown = quoteText === null ? null : JSON.parse(quoteText);
  const send = isRecord(quote) ? quote['send'] : null;
  return isRecord(send) ? send : {};
}
