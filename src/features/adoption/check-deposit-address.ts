import { addressKey } from '../../domain/chains/address-key.ts';
import { readQuote } from '../../domain/payment/quote.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';

/**
 * A submitted quote must have the deposit address that the provider reports: a payer must never be shown another one. There is
 * no comparison if only the quote or only the provider names an address. Throws InvalidField.
 */
export function checkDepositAddress(quoteId: string, quoteText: string, reportText: string): void {
  const named = quotedAddress(quoteId, quoteText);
  const report: unknown = JSON.parse(reportText);
  const reported = isRecord(report) ? report['depositAddress'] : undefined;
  if (named === null || typeof reported !== 'string' || reported === '') return;
  if (addressKey(named) !== addressKey(reported))
    throw new InvalidField('quote.send.depositAddress', 'must be the address that the provider reports');
}

/** Null if the quote object has no deposit address. */
export function quotedAddress(quoteId: string, quoteText: string): string | null {
  const quote: unknown = JSON.parse(quoteText);
  return isRecord(quote) ? (readQuote({ ...quote, quoteId }, quoteText)?.depositAddress ?? null) : null;
}
