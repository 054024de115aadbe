import { readEstimateMs } from './estimate.ts';
import { isQuoteId, isRecord } from './reading.ts';
import type { Report } from './report.ts';

/**
 * The spec's six fields of a quote request, and two of Paybell's own. `amount` is a decimal string in human-readable units.
 */
export interface QuoteRequest {
  readonly fromChainId: number;
  readonly toChainId: number;
  readonly fromToken: string;
  readonly toToken: string;
  readonly amount: string;
  readonly recipient: string;
  /** `receive`: the recipient gets exactly `amount` of the destination's token; left out: `send`. */
  readonly amountIs?: 'send' | 'receive';
  /** The wallet on the source chain for a refund; left out: the wallet of the settings, if the provider needs one. */
  readonly refundTo?: string;
}

/** The spec's Quote object. Only the id and the deposit address are required. */
export interface Quote {
  readonly quoteId: string;
  /** Seconds until the quote expires; null when the provider does not state it. */
  readonly expiresIn: number | null;
  /** The quote's `estimatedTime` in milliseconds; null when it is missing or unreadable. */
  readonly expectedMs: number | null;
  readonly depositAddress: string;
  /** The quote verbatim, as JSON text. */
  readonly text: string;
  /** The first report, from a provider whose quote contains the whole status: it saves the first status request. */
  readonly firstReport?: Report | null;
}

const MAX_EXPIRES_IN_SECONDS = 366 * 86_400;

/** Reads a quote from parsed JSON and its text; null when it has no usable id or deposit address. */
export function readQuote(value: unknown, text: string): Quote | null {
  if (!isRecord(value) || !isQuoteId(value['quoteId'])) return null;
  const send = value['send'];
  const depositAddress = isRecord(send) ? send['depositAddress'] : undefined;
  if (typeof depositAddress !== 'string' || depositAddress === '') return null;
  return {
    quoteId: value['quoteId'],
    expiresIn: readSeconds(value['expiresIn']),
    expectedMs: readEstimateMs(value['estimatedTime']),
    depositAddress,
    text,
  };
}

function readSeconds(value: unknown): number | null {
  const seconds = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !(seconds >= 0) || seconds > MAX_EXPIRES_IN_SECONDS) return null;
  return seconds;
}
