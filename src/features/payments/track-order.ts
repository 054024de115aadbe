import { readEstimateMs } from '../../domain/payment/estimate.ts';
import { memberText } from '../../domain/text/member-text.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import { BODY_LIMIT_BYTES, BodyTooLarge } from '../../platform/http/json-body.ts';
import type { AdoptedOrder } from '../adoption/adoption.ts';
import type { TrackBody } from './payments.dto.ts';

/**
 * Reads a request to track a quote, sent by HTTP or as a message; `text` is the JSON of the fields. Throws InvalidField, and
 * BodyTooLarge if it is longer than one request may be.
 */
export function trackOrder(
  { quoteId, quote = null, orderId = null, metadata = null }: TrackBody,
  text: string,
): AdoptedOrder {
  if (Buffer.byteLength(text) > BODY_LIMIT_BYTES) throw new BodyTooLarge(BODY_LIMIT_BYTES);
  if (quote === null) return { orderId, metadata, quote: null };
  const named = quote['quoteId'] ?? quoteId;
  if (named !== quoteId) throw new InvalidField('quote.quoteId', 'must be the quoteId beside the quote');
  const quoteText = memberText(text, 'quote') ?? JSON.stringify(quote);
  return {
    orderId,
    metadata,
    quote: { text: quoteText, expectedMs: readEstimateMs(quote['estimatedTime']) },
  };
}
