import { describe, expect, it } from '@jest/globals';

import { applyReport, openPayment } from '../../src/domain/payment/apply-report.ts';
import { newPayment } from '../../src/domain/payment/payment.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { parseRelayRequest } from '../../src/providers/relay/status/relay-request.ts';
import { rowsOfQuotes } from '../../src/providers/relay/status/status-rows.ts';
import { toStatus } from '../../src/providers/relay/status/to-status.ts';
import { evmAddress, paidAddress, QUOTED_AT, relayQuote, relayRow } from '../support/relay-rows.ts';

const QUOTE = relayQuote();
const { quoteId, depositAddress } = QUOTE;
const MISSING = Symbol('missing');
const OTHER_ADDRESS = evmAddress(9);

/** The status that the payment has after one row of Relay, or the reason of its anomaly. */
function verdictOf(row: Record<string, unknown>): string {
  const request = parseRelayRequest(row);
  const { byQuote } = rowsOfQuotes([QUOTE], request === null ? [] : [request]);
  const rows = byQuote.get(quoteId) ?? [];
  if (rows.length === 0) return 'not its row';
  const text = toStatus(QUOTE, rows, QUOTED_AT);
  const report = readReport(JSON.parse(text), text);
  if (report === null) return 'no report';
  const fields = {
    quoteId,
    provider: 'relay',
    orderId: null,
    metadata: null,
    expiresAt: null,
    expectedMs: null,
    depositAddress,
  };
  const { payment } = openPayment(newPayment(fields, QUOTED_AT));
  const { events, payment: after } = applyReport(payment, report, QUOTED_AT, { stalledAfterMs: 900_000 });
  const reasons = events.flatMap(({ reason }) => reason ?? []);
  return reasons.length > 0 ? `${reasons.join()} at ${after.status}` : after.status;
}

describe('a field of a row of Relay that decides something', () => {
  const table: Readonly<Record<string, readonly (readonly [unknown, string])[]>> = {
    id: [
      [MISSING, 'not its row'],
      [null, 'not its row'],
      [7, 'not its row'],
      [{}, 'not its row'],
      ['', 'not its row'],
      // Another request on the same address is another deposit for the same quote.
      [`0x${'b2'.repeat(32)}`, 'COMPLETED'],
    ],
    depositAddress: [
      [MISSING, 'COMPLETED'],
      [null, 'COMPLETED'],
      [7, 'COMPLETED'],
      [{}, 'COMPLETED'],
      ['N/A', 'COMPLETED'],
      [depositAddress.toLowerCase(), 'COMPLETED'],
      [{ ...paidAddress(QUOTE), address: OTHER_ADDRESS }, 'other_address at AWAITING_DEPOSIT'],
      [OTHER_ADDRESS, 'other_address at AWAITING_DEPOSIT'],
    ],
    status: [
      [MISSING, 'DEPOSIT_RECEIVED'],
      [null, 'DEPOSIT_RECEIVED'],
      [7, 'DEPOSIT_RECEIVED'],
      [['success'], 'DEPOSIT_RECEIVED'],
      ['SUCCESS', 'COMPLETED'],
      ['COMPLETED', 'unknown_status at AWAITING_DEPOSIT'],
      ['rebalancing', 'unknown_status at AWAITING_DEPOSIT'],
    ],
  };
  const cases = Object.entries(table).flatMap(([field, values]) =>
    values.map(([value, verdict]) => [field, value, verdict] as const),
  );
  it.each(cases)('%s of %p: %s', (field, value, verdict) => {
    const good = relayRow(QUOTE, { status: 'success', depositAddress: paidAddress(QUOTE) });
    const { [field]: _left, ...rest } = good;
    expect(verdictOf(value === MISSING ? rest : { ...rest, [field]: value })).toBe(verdict);
  });

  it('is of no use where both id and address are another', () => {
    const row = relayRow(QUOTE, {
      id: '0xother',
      status: 'success',
      depositAddress: { address: OTHER_ADDRESS },
    });
    expect(verdictOf(row)).toBe('not its row');
  });
});
