import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { newPayment } from '../../src/domain/payment/payment.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { STATUSES } from '../../src/domain/payment/status.ts';
import { applyPoll } from '../../src/features/polling/apply-poll.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Claim } from '../../src/ports/schedule.ts';
import { pollResult } from '../support/poll-results.ts';
import { URGENCY_RULES } from '../support/stores.ts';

const SETTINGS = new PollingSettings(URGENCY_RULES, 900_000, 5_000, 5_000);
const CREATED = new Date('2026-11-20T12:00:00.000Z');
const NOW = new Date('2026-11-20T12:20:00.000Z');
const SILENCE = { kind: 'unavailable', httpStatus: null, reason: 'timeout', retryAfterMs: null } as const;

function answerOf(fields: Record<string, unknown> | null): StatusAnswer {
  const report = fields === null ? null : readReport(fields, JSON.stringify(fields));
  return report === null ? SILENCE : { kind: 'report', report };
}

const PAST = fc.integer({ min: 0, max: 1_200_000 }).map((agoMs) => new Date(NOW.getTime() - agoMs));
const ANSWER = fc
  .option(fc.record({ status: fc.constantFrom(...STATUSES), quoteId: fc.constantFrom('q', 'other') }))
  .map(answerOf);
const CLAIM: fc.Arbitrary<Claim> = fc.record({
  paymentId: fc.constant('1'),
  quoteId: fc.constant('q'),
  token: fc.constant('1'),
  knownDigest: fc.constant(null),
  storedDigest: fc.constant(''),
  payment: fc
    .constantFrom('AWAITING_DEPOSIT' as const, 'DEPOSIT_RECEIVED' as const, 'EXECUTING' as const)
    .map((status) => ({
      ...newPayment(
        { quoteId: 'q', provider: 'http', orderId: null, metadata: null, expiresAt: null, expectedMs: null },
        CREATED,
      ),
      status,
    })),
  silentSince: fc.option(PAST),
  failures: fc.nat(9),
  scheduledInMs: fc.constant(null),
  nextInMs: fc.constant(0),
  urgency: fc.constant(0),
  hintedAt: fc.option(PAST),
  answeredAgoMs: fc.constant(null),
});

describe('the poll results of the tests of stores', () => {
  it('are what polling makes of the same answers', () => {
    fc.assert(
      fc.property(CLAIM, ANSWER, fc.boolean(), (claim, answer, isCharged) => {
        expect(pollResult(claim, answer, NOW, isCharged)).toEqual(
          applyPoll(claim, answer, NOW, SETTINGS, isCharged),
        );
      }),
    );
  });
});
