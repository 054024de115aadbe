import { expect, it } from '@jest/globals';
import fc from 'fast-check';

import { fromUnits } from '../../../src/domain/payment/amount.ts';
import { applyProof } from '../../../src/domain/payment/apply-proof.ts';
import { judgeInspection } from '../../../src/domain/payment/judge-inspection.ts';
import { newPayment, type Payment } from '../../../src/domain/payment/payment.ts';
import { promisedOutput } from '../../../src/domain/payment/promised-output.ts';
import { judgeOutput } from '../../../src/domain/proof/judge-output.ts';
import { matchToken } from '../../../src/domain/proof/match-output.ts';
import type { ShownTransfer } from '../../../src/domain/proof/shown.ts';
import { CHAIN_ID, hashOf, quoteOf, RECIPIENT, statusOf, USDC } from '../../support/proof-texts.ts';

const CREATED_AT = new Date('2026-11-20T12:00:00.000Z');
const FIELDS = {
  quoteId: 'q',
  provider: 'http',
  orderId: null,
  metadata: null,
  expiresAt: null,
  expectedMs: null,
};
const COMPLETED: Payment = { ...newPayment(FIELDS, CREATED_AT), status: 'COMPLETED', tracking: 'closed' };
const BLOCK = 1_000;
const RUNS = 10_000;

/** A quote of any amount and precision, and a payout that keeps it, among other transfers of its transaction. */
const HONEST = fc.record({
  decimals: fc.integer({ min: 0, max: 24 }),
  least: fc.bigInt({ min: 1n, max: 10n ** 24n }),
  isMinimum: fc.boolean(),
  toleranceBps: fc.integer({ min: 0, max: 5_000 }),
  surplus: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  others: fc.integer({ min: 0, max: 4 }),
  place: fc.integer({ min: 0, max: 4 }),
  after: fc.integer({ min: -30_000, max: 3_600_000 }),
  depth: fc.integer({ min: 20, max: 500 }),
  finalDepth: fc.integer({ min: 0, max: 400 }),
  isCapital: fc.boolean(),
});

it('10,000 payments that keep their quotes are proven, each with one event, and none is contradicted', () => {
  let proven = 0;
  fc.assert(
    fc.property(HONEST, (each) => {
      const { decimals, least, isMinimum, toleranceBps, surplus, others, place, isCapital } = each;
      const amount = fromUnits(least, decimals);
      const address = isCapital ? USDC.toUpperCase().replace('0X', '0x') : USDC;
      const quoteText = quoteOf('q', {
        token: { address, symbol: 'X', name: 'X', decimals },
        estimatedAmount: isMinimum ? '1' : amount,
        minimumAmount: isMinimum ? amount : undefined,
      });
      const texts = { quoteText, reportText: statusOf('q', 'COMPLETED', hashOf(7)), createdAt: CREATED_AT };
      const promised = promisedOutput({ ...texts, wasUnderWay: false }, toleranceBps);
      if (typeof promised === 'string') throw new Error(promised);
      const at = { txHash: hashOf(7), blockNumber: BLOCK, blockHash: hashOf(8) };
      const paid: ShownTransfer = { ...at, logIndex: 9, token: USDC, to: RECIPIENT, amount: least + surplus };
      const noise = Array.from({ length: others }, (_other, index): ShownTransfer => {
        const isElse = index % 2 === 0;
        return { ...paid, logIndex: index, ...(isElse ? { to: hashOf(3).slice(0, 42) } : { amount: 0n }) };
      });
      const transfers = noise.toSpliced(Math.min(place, others), 0, paid);
      const receipt = { ...at, succeeded: true, gasUsed: 50_000n, transfers };
      const blockAt = (number: number) => ({
        number,
        hash: hashOf(8),
        at: new Date(CREATED_AT.getTime() + each.after),
      });
      const answer = judgeOutput(promised, {
        source: 'rpc.example',
        match: matchToken(promised, receipt),
        blockNumber: BLOCK,
        blockHash: hashOf(8),
        block: blockAt(BLOCK),
        head: { latest: blockAt(BLOCK + each.depth - 1), final: BLOCK + each.depth - 1 - each.finalDepth },
        needed: 20,
      });
      const reserved = answer.state === 'proven' ? answer.transfers[0] : null;
      const inspected = {
        chainId: CHAIN_ID,
        before: 'pending',
        inspections: 1,
        begunAgoMs: 5_000,
        patienceMs: 1_800_000,
      } as const;
      const { proof } = judgeInspection(answer, reserved, { ...inspected, isNamed: true, provenBy: null });
      const { events } = applyProof(COMPLETED, proof, { isWithheld: false, before: 'pending' }, CREATED_AT);
      expect([answer.state, proof.verification.logIndex, events.map(({ type }) => type)]).toEqual([
        'proven',
        9,
        ['payment.verified'],
      ]);
      proven += 1;
    }),
    { numRuns: RUNS },
  );
  expect(proven).toBe(RUNS);
});
