import { readEstimateMs } from '../polling/estimate.ts';
import { isQuoteId, isRecord } from './reading.ts';
import type { Report } from './report.ts';

/** What a merchant asks a quote for: the spec's six fields. `amount` is a decimal string in human-readable units. */
export interface QuoteRequest {
  readonly fromChainId: number;
  readonly toChainId: number;
  readonly fromToken: string;
  readonly toToken: string;
  readonly amount: string;
  readonly recipient: string;
}

/** What the provider offers: the spec's Quote object, of which only the id and the deposit address must be there. */
export interface Quote {
  readonly quoteId: string;
  /** Seconds until it expires; null when the provider does not say. */
  readonly expiresIn: number | null;
  /** Its `estimatedTime` in milliseconds; null when it has none that can be read. */
  readonly expectedMs: number | null;
  readonly depositAddress: string;
  /** The quote verbatim, as JSON text. */
  readonly text: string;
  /** Where the quote itself tells all that a status would: nobody has to be asked for the first one. */
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
