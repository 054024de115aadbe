import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { REFUND_TO, USDC_ON_BASE, type QuotedPayment, type RelayStage } from '../../support/relay-stage.ts';
import { jsonOf } from '../../support/stage.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { relayPaybell } from './relay-paybell.ts';

type Json = Record<string, unknown>;

/** Who failed or expired is polled every 30 s at first: what comes sooner was found by reconciliation. */
const SWEPT_WITHIN_MS = 20_000;
const PAID = ['created', 'deposit_received'];

export function paymentLives(): void {
  describe('a payment with Relay', () => {
    let stage: RelayStage;
    let app: SharedService;
    let lives: RelayStage['relay']['lives'];

    beforeAll(async () => {
      ({ stage, app } = await relayPaybell());
      await stage.forgetRefusals();
      ({ lives } = stage.relay);
    });

    /** A payment whose deposit was published. */
    async function paid(deposit: Parameters<typeof lives.deposit>[1] = {}): Promise<QuotedPayment> {
      const payment = await stage.quoted(app);
      lives.deposit(payment.address, deposit);
      await stage.published(app, payment.quoteId, PAID);
      return payment;
    }

    async function lastReport(
      { quoteId }: QuotedPayment,
      words: readonly string[],
      timeoutMs?: number,
    ): Promise<Json> {
      const event = (await stage.published(app, quoteId, words, timeoutMs)).at(-1);
      expect(await jsonOf(await app.fetch(`/api/status/${quoteId}`), 200)).toEqual(event?.data.payment);
      return event?.data.payment ?? {};
    }

    function hashOf({ address }: QuotedPayment, list: 'inTxs' | 'outTxs', at: number): unknown {
      const { data } = stage.relay.row(address) as { data: Record<typeof list, Json[]> };
      return data[list].at(at)?.['txHash'];
    }

    describe('money that goes back', () => {
      it('is FAILED, with an error that begins with REFUNDED and the refund that Relay made', async () => {
        const payment = await paid();
        lives.sweep(payment.address);
        await stage.published(app, payment.quoteId, [...PAID, 'executing']);
        lives.refund(payment.address, { reason: 'SLIPPAGE' });
        const report = await lastReport(payment, [...PAID, 'executing', 'failed']);
        expect(report['error']).toBe('REFUNDED: the price moved too far (SLIPPAGE)');
        expect(report['execution']).toMatchObject({
          completedAt: null,
          outputTxHash: null,
          refund: {
            state: 'refunded',
            txHash: hashOf(payment, 'outTxs', 0),
            chainId: 8453,
            token: USDC_ON_BASE,
            amountRaw: expect.stringMatching(/^\d+$/),
            refundedTo: REFUND_TO,
          },
        });
      });

      it('later than the failure is published when it comes, without moving the payment', async () => {
        const payment = await paid();
        lives.fail(payment.address, { reason: 'EXECUTION_REVERTED' });
        const failed = await lastReport(payment, [...PAID, 'failed']);
        expect(failed['error']).toMatch(/EXECUTION_REVERTED.*the refund is still to come$/);
        expect(failed['execution']).toMatchObject({ refund: { state: 'pending', txHash: null } });
        lives.refund(payment.address, { reason: 'MANUAL_ADMIN_REFUND' });
        const report = await lastReport(payment, [...PAID, 'failed', 'updated'], SWEPT_WITHIN_MS);
        expect(report).toMatchObject({
          status: 'FAILED',
          error: expect.stringMatching(/^REFUNDED: .*by hand/),
        });
        expect(report['execution']).toMatchObject({ refund: { state: 'refunded' } });
      });
    });

    describe('another amount than was asked for', () => {
      it('and a second deposit after the end never moves the payment', async () => {
        const payment = await paid();
        lives.settle(payment.address);
        const first = await lastReport(payment, [...PAID, 'completed']);
        lives.deposit(payment.address, { amountRaw: 1_000_000n });
        lives.settle(payment.address);
        const asked = { method: 'POST' };
        const refresh = async (): Promise<boolean> => {
          await jsonOf(await app.fetch(`/api/payments/${payment.quoteId}/refresh`, asked), 200);
          return (await stage.eventsOf(app, payment.quoteId)).length > 3;
        };
        await waitFor(refresh, { everyMs: 300 });
        const report = await lastReport(payment, [...PAID, 'completed', 'updated']);
        expect(report).toMatchObject({
          status: 'COMPLETED',
          execution: first['execution'] as Json,
          deposit: { amount: '25.5', match: 'exact', further: { count: 1, amounts: [{ amount: '1' }] } },
        });
      });
    });
  });
}
