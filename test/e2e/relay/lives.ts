import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { REFUND_TO, USDC_ON_BASE, type QuotedPayment, type RelayStage } from '../../support/relay-stage.ts';
import type { Story } from '../../../tools/relay-stand-in/stories.js';
import { jsonOf } from '../../support/stage.ts';
import { wordOf, type PublishedEvent } from '../../support/published-events.ts';
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

      it('not at all, since the payer used an exchange, is published as what has to be asked for', async () => {
        const payment = await paid();
        lives.refund(payment.address, { reason: 'SLIPPAGE', refundFailReason: 'REFUND_RECIPIENT_IS_VASP' });
        const report = await lastReport(payment, [...PAID, 'failed']);
        expect(report['error']).toMatch(/the refund has to be asked for: the deposit came from an exchange/);
        expect(report['execution']).toMatchObject({ refund: { state: 'manual', txHash: null } });
      });
    });

    describe('another amount than was asked for', () => {
      it.each([
        ['underpaid', '15.3', 15_300_000n],
        ['overpaid', '33.15', 33_150_000n],
      ])(
        'shows as %s in the deposit, digit by digit, and what came of it is delivered',
        async (match, amount, amountRaw) => {
          const payment = await paid({ amountRaw });
          lives.settle(payment.address);
          const report = await lastReport(payment, [...PAID, 'completed']);
          expect(report['deposit']).toMatchObject({
            match,
            amount,
            amountRaw: String(amountRaw),
            expectedAmount: '25.5',
            expectedAmountRaw: '25500000',
          });
        },
      );

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

    describe('what Relay has in store', () => {
      it('a request that another one supersedes is followed to its end', async () => {
        const payment = await paid();
        lives.supersede(payment.address);
        lives.submit(payment.address);
        await stage.published(app, payment.quoteId, [...PAID, 'executing']);
        lives.settle(payment.address);
        const report = await lastReport(payment, [...PAID, 'executing', 'completed']);
        expect(report['execution']).toMatchObject({ outputTxHash: hashOf(payment, 'outTxs', -1) });
      });

      it('a word that nobody knows is an anomaly, published once; polling goes on, and so does the payment', async () => {
        const payment = await paid();
        lives.say(payment.address, 'rebalancing');
        const published = [...PAID, 'anomaly unknown_status'];
        const [, , anomaly] = await stage.published(app, payment.quoteId, published);
        expect(anomaly?.data).toMatchObject({
          status: 'DEPOSIT_RECEIVED',
          payment: { status: 'RELAY_REBALANCING' },
        });
        const { length: before } = stage.readsOf(payment);
        await waitFor(() => stage.readsOf(payment).length > before + 2);
        await stage.published(app, payment.quoteId, published);
        lives.settle(payment.address);
        await stage.published(app, payment.quoteId, [...published, 'completed']);
      });

      it('"N/A", empty hashes, milliseconds among seconds and other names are read for what they mean', async () => {
        const payment = await stage.quoted(app);
        await stage.relay.play(payment.address, 'untidy', { speed: 50 });
        const { status, error, execution, deposit } = await ended(payment, 'completed');
        expect([status, error]).toEqual(['COMPLETED', null]);
        const at = (execution as Record<string, number>)['startedAt'] ?? 0;
        expect(Math.abs(at - Date.now() / 1_000)).toBeLessThan(60);
        expect((execution as Json)['outputTxHash']).toBe(hashOf(payment, 'outTxs', -1));
        expect((deposit as Json)['sweepTxHash']).toMatch(/^0x[0-9a-f]{64}$/);
      });

      it.each<[Story, string]>([
        ['no hashes', 'completed'],
        ['instant', 'completed'],
        ['delayed', 'completed'],
        ['blocked wallet', 'failed'],
      ])('the life "%s" ends as %s, without a contradiction on its way', async (story, end) => {
        const payment = await stage.quoted(app);
        await stage.relay.play(payment.address, story, { speed: 50 });
        const report = await ended(payment, end);
        if (story === 'no hashes') expect(report['execution']).toMatchObject({ outputTxHash: null });
      });

      /** The last report of a payment that passes some of its statuses between two polls. */
      async function ended({ quoteId }: QuotedPayment, word: string): Promise<Json> {
        const last = async (): Promise<PublishedEvent | undefined> => {
          const events = await stage.eventsOf(app, quoteId);
          expect(events.map(({ data }) => data.sequence)).toEqual(events.map((_, index) => index + 1));
          expect(events.map(wordOf).filter((published) => published.startsWith('anomaly'))).toEqual([]);
          return events.find((event) => wordOf(event) === word);
        };
        return (await waitFor(last)).data.payment ?? {};
      }
    });
  });
}
