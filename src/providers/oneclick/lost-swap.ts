import { isRecord } from '../../domain/payment/reading.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import { fieldsOf, readWord } from '../shared/fields.ts';
import { LostOnAddress, type KeptQuote } from '../shared/kept-quote.ts';
import { storedToken } from '../shared/listed-assets.ts';
import type { QuoteStore } from '../shared/quote-store.ts';
import { readRaw } from '../shared/raw-amount.ts';
import { isSameAddress } from '../shared/vm-addresses.ts';
import { type Asset, isToken } from './assets.ts';
import { placeOf } from './offer.ts';
import type { StoredSwap, SwapQuote } from './swap.ts';
import type { SwapReader } from './swap-reader.ts';

/** The merchant's quote object, with its tokens. */
export interface KeptSwap {
  readonly kept: KeptQuote;
  readonly memo: string | null;
  readonly from: Asset;
  readonly to: Asset;
}

/** A lost swap: the status of its deposit address contains 1Click's whole quote. */
export class LostSwap extends LostOnAddress<StoredSwap> {
  constructor(
    private readonly reader: SwapReader,
    store: QuoteStore<SwapQuote>,
    private readonly swap: KeptSwap,
  ) {
    super(
      {
        add: (stored) => store.add(placeOf(stored.depositAddress, stored.memo), stored),
        find: (ids) => store.find(ids),
      },
      swap.kept,
    );
  }

  readStatus(): Promise<StatusAnswer> {
    const { kept, memo } = this.swap;
    return this.reader.readLost({ depositAddress: kept.depositAddress, memo }, (answer) => {
      this.confirmed = restored(this.swap, answer);
      return this.confirmed ?? this.doubt('What 1Click has on its deposit address is another payment.');
    });
  }
}

/** Null unless 1Click quoted the same amount of the same token for the same recipient, with this address. */
function restored({ kept, memo, from, to }: KeptSwap, answer: unknown): StoredSwap | null {
  const response = fieldsOf(isRecord(answer) ? answer['quoteResponse'] : undefined);
  const [request, quote] = [fieldsOf(response['quoteRequest']), fieldsOf(response['quote'])];
  const { recipient, refundTo } = request;
  const [createdAt, expiresAt] = [dateOf(response['timestamp']), dateOf(request['deadline'])];
  const [minAmountIn, minAmountOut] = [readRaw(quote['minAmountIn']), readRaw(quote['minAmountOut'])];
  const isSame =
    quote['depositAddress'] === kept.depositAddress &&
    readWord(quote['depositMemo']) === memo &&
    String(quote['amountIn']) === kept.amount &&
    isToken(request['originAsset'], from) &&
    isToken(request['destinationAsset'], to) &&
    typeof recipient === 'string' &&
    isSameAddress(recipient, kept.recipient, to.chain.vmType);
  if (!isSame || typeof refundTo !== 'string' || minAmountIn === null || minAmountOut === null) return null;
  if (createdAt === null || expiresAt === null) return null;
  const { quoteId, depositAddress, amount } = kept;
  return {
    quoteId,
    createdAt,
    expiresAt,
    depositAddress,
    memo,
    amount,
    refundTo,
    recipient: kept.recipient,
    from: storedToken(from),
    to: storedToken(to),
    destinationAsset: to.id,
    minAmountIn: (request['swapType'] === 'EXACT_OUTPUT' ? minAmountIn : BigInt(amount)).toString(),
    minAmountOut: minAmountOut.toString(),
  };
}

function dateOf(value: unknown): Date | null {
  const at = new Date(String(value));
  return Number.isNaN(at.getTime()) ? null : at;
}
