import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import type { RelayStage } from '../../support/relay-stage.ts';
import { jsonOf } from '../../support/stage.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { relayPaybell, startAgain } from './relay-paybell.ts';

/** Contract §7: what a dead replica was at is taken over within 30 s. */
const TAKEN_OVER_MS = 30_000;

export function faults(): void {
  let stage: RelayStage;
  let app: SharedService;

  describe('kill -9', () => {
    beforeAll(async () => {
      ({ stage, app } = await relayPaybell());
      await stage.forgetRefusals();
    });

    it('right after a quote was answered costs nothing: its deposit is seen and published', async () => {
      const { quoteId, address } = await stage.quoted(app);
      await app.kill9();
      stage.relay.lives.deposit(address);
      const again = await startAgain();
      const published = ['created', 'deposit_received'];
      await stage.published(again, quoteId, published, TAKEN_OVER_MS);
      stage.relay.lives.settle(address);
      await stage.published(again, quoteId, [...published, 'completed'], TAKEN_OVER_MS);
    }, 90_000);
  });

  describe("Relay's limit of reads", () => {
    beforeAll(async () => {
      ({ stage, app } = await relayPaybell());
      await stage.forgetRefusals();
    });

    it('once it is reached slows the polling down, loses nothing, and everything is published afterwards', async () => {
      const { length: before } = stage.reads;
      const payments = await Promise.all(Array.from({ length: 10 }, () => stage.quoted(app)));
      await waitFor(() => stage.reads.length > before + 10);
      stage.relay.fault('html429', { path: '/requests/v3' });
      const refusedFrom = stage.reads.length;
      await waitFor(async () => {
        const { checks } = await jsonOf(await app.fetch('/health/ready'), 200);
        return JSON.stringify(checks).includes('it has asked for fewer requests');
      });
      for (const { address } of payments) stage.relay.lives.fill(address);
      await waitFor(() => stage.reads.length > refusedFrom + 1, { timeoutMs: 20_000 });
      for (const { quoteId } of payments) expect(await stage.eventsOf(app, quoteId)).toHaveLength(1);
      stage.relay.recover();
      for (const { quoteId } of payments) await stage.published(app, quoteId, ['created', 'completed']);
      expect(await app.stop()).toBe(0);
    }, 60_000);
  });
}
