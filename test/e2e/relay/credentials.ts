import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { RELAY_KEY, type RelayStage } from '../../support/relay-stage.ts';
import { jsonOf } from '../../support/stage.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { relayPaybell, sharedStage } from './relay-paybell.ts';

const WRONG_KEY = 'relay-key-of-a-stranger';
const NO_KEY = 'degraded it does not accept our key; only probes go out';
const WITHIN_MS = 45_000;
const WATCHED_MS = 3_000;
/** Probes, and a reconciliation that was on its way: a poll every 150 ms of each payment would be hundreds. */
const FEW = 6;

async function awaitHealth(app: SharedService, wanted: string): Promise<void> {
  const health = async (): Promise<boolean> => {
    const { checks } = await jsonOf(await app.fetch('/health/ready'), 200);
    const { status, detail = '' } = (checks as { provider: { status: string; detail?: string } }).provider;
    return `${status} ${detail}`.trim() === wanted;
  };
  await waitFor(health, { timeoutMs: WITHIN_MS, everyMs: 100, what: `the provider to be "${wanted}"` });
}

/** How many requests come within some seconds from now. */
async function requestsFromNow(stage: RelayStage): Promise<number> {
  const { length: before } = stage.relay.requests;
  const until = Date.now() + WATCHED_MS;
  await waitFor(() => Date.now() > until);
  return stage.relay.requests.length - before;
}

function linesWith(app: SharedService, ...keys: string[]): string[] {
  return app.lines.filter((line) => keys.some((key) => line.includes(key)));
}

/** On a stage where no Paybell has run yet. */
export function wrongKey(): void {
  describe('a key that Relay does not take', () => {
    it('is reported in readiness and by every quote, with no payment open, and asked about now and then only', async () => {
      const stage = await sharedStage();
      const app = await stage.startWarm({ RELAY_API_KEY: WRONG_KEY });
      for (const ask of [() => stage.askQuote(app), () => app.fetch('/api/chains')]) {
        const text = JSON.stringify(await jsonOf(await ask(), 502));
        expect(text).toContain('"provider_credentials"');
        expect(text).not.toContain(WRONG_KEY);
      }
      await awaitHealth(app, NO_KEY);
      expect(await requestsFromNow(stage)).toBeLessThanOrEqual(FEW);
      expect(await stage.countPayments()).toBe(0);
      expect(linesWith(app, WRONG_KEY, RELAY_KEY)).toEqual([]);
      await app.stop();
      const { app: right } = await relayPaybell();
      const { quoteId, address } = await stage.quoted(right);
      await awaitHealth(right, 'ok');
      stage.relay.lives.fill(address);
      await stage.published(right, quoteId, ['created', 'completed']);
    }, 90_000);
  });
}

export function changedKey(): void {
  describe('a key that Relay takes no more', () => {
    let stage: RelayStage;
    let app: SharedService;

    beforeAll(async () => {
      ({ stage, app } = await relayPaybell());
      await stage.forgetRefusals();
    });

    it('stops the polling of open payments, costs none of them anything, and goes on by itself once it is taken', async () => {
      const { length: before } = stage.reads;
      const payments = await Promise.all(Array.from({ length: 12 }, () => stage.quoted(app)));
      await waitFor(() => stage.reads.length > before + 5);
      stage.relay.options.apiKey = 'another-key-since-today';
      await awaitHealth(app, NO_KEY);
      for (const { address } of payments) stage.relay.lives.fill(address);
      expect(await requestsFromNow(stage)).toBeLessThanOrEqual(FEW);
      expect(await jsonOf(await stage.askQuote(app), 502)).toMatchObject({ code: 'provider_credentials' });
      stage.relay.options.apiKey = RELAY_KEY;
      await awaitHealth(app, 'ok');
      for (const { quoteId } of payments) await stage.published(app, quoteId, ['created', 'completed']);
      expect(linesWith(app, RELAY_KEY)).toEqual([]);
    }, 90_000);
  });
}
