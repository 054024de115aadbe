import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import type { AppProcess } from '../support/app-process.ts';
import { describeWith } from '../support/describe-with.ts';
import { arrivalsAt } from '../support/published-events.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { StatusRequests } from '../support/status-requests.ts';
import { PrometheusText } from '../support/prometheus-text.ts';
import { FakedClock } from '../../tools/testkit/faked-clock.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const HOUR_MS = 3_600_000;
const TEN_MINUTES_S = 600;
const GAP_MS = 2_000;
const SETTINGS = {
  POLL_INTERVAL_MS: '3000',
  POLL_MIN_GAP_MS: String(GAP_MS),
  STALLED_AFTER_SECONDS: '120',
  WEBHOOK_RETRY_SCHEDULE: '1s,1s,1s',
};
/** How long a busy machine may delay the first of two requests. */
const ARRIVES_LATE_MS = 500;
/** The late watch polls after 30 s, and then after half as long again each time. */
const WATCH_MS = 30_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface ClockHealth {
  readonly status: string;
  readonly checks: { readonly clock: { readonly status: string; readonly detail?: string } };
}

/** Payments with every fate, and a shop that verifies its webhooks; the replicas that poll have wrong clocks. */
class Scene {
  private readonly startedAt = Date.now();
  readonly requests: StatusRequests;
  readonly apps: AppProcess[] = [];
  private secret = '';

  private constructor(readonly stage: Stage) {
    this.requests = new StatusRequests(stage.provider);
  }

  static async open(clocks: readonly FakedClock[]): Promise<Scene> {
    const scene = new Scene(await Stage.open());
    for (const clock of clocks) scene.apps.push(await scene.stage.start({ ...SETTINGS, ...clock.env }));
    scene.secret = await scene.stage.addShop(scene.first);
    return scene;
  }

  get first(): AppProcess {
    return this.apps[0] as AppProcess;
  }

  /** Four payments through each replica: one waiting, two in flight and one expired. */
  async payments(): Promise<string[]> {
    const quoteIds: string[] = [];
    for (const app of this.apps) quoteIds.push(...(await this.stage.quotes(app, 4)));
    for (const [index, id] of quoteIds.entries())
      this.stage.say([id], ['AWAITING_DEPOSIT', 'EXECUTING', 'EXECUTING', 'EXPIRED'][index % 4] ?? '');
    await this.seen('EXPIRED', quoteIds.length / 4);
    await this.seen('EXECUTING', quoteIds.length / 2);
    return quoteIds;
  }

  /** Waits until this many payments have this status. */
  seen(status: string, count: number, timeoutMs = 20_000): Promise<boolean> {
    const isSeen = async (): Promise<boolean> => {
      const [row] = await this.stage.database.query<{ count: number }>(
        'SELECT count(*)::int FROM payment WHERE status = $1',
        [status],
      );
      return row?.count === count;
    };
    return waitFor(isSeen, { timeoutMs, everyMs: 200, what: `${count} payments with ${status}` });
  }

  async health(app = this.first): Promise<ClockHealth> {
    return (await jsonOf(await app.fetch('/health/ready'), 200)) as unknown as ClockHealth;
  }

  async skewSeconds(app = this.first): Promise<number | undefined> {
    const scrape = new PrometheusText(await (await app.fetch('/metrics')).text());
    return scrape.value('paybell_clock_skew_seconds');
  }

  /** Checks the invariants that hold with any clocks. */
  async expectSound(quoteIds: readonly string[]): Promise<void> {
    expect(this.requests.shortestGap(quoteIds)).toBeGreaterThanOrEqual(GAP_MS - ARRIVES_LATE_MS);
    for (const id of quoteIds) {
      const events = await this.stage.eventsOf(this.first, id);
      expect(events.map(({ type }) => type)).not.toContain('payment.stalled');
      const times = events.map(({ time }) => Date.parse(time));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(Math.min(...times)).toBeGreaterThan(this.startedAt - 1_000);
      expect(Math.max(...times)).toBeLessThan(Date.now() + 1_000);
      await waitFor(() => events.every((event) => this.arrived.has(event.id)), { what: `all of ${id}` });
    }
    this.expectSigned();
  }

  private get arrived(): Set<string> {
    return new Set(arrivalsAt(this.stage.shop).map(({ id }) => id));
  }

  /** Checks that every attempt verifies, and that its time is right. */
  private expectSigned(): void {
    const { requests } = this.stage.shop;
    const shop = new Webhook(this.secret);
    for (const { text, headers, at } of requests) {
      expect(() => shop.verify(text, headers as Record<string, string>)).not.toThrow();
      expect(Math.abs(Number(headers['webhook-timestamp']) - at / 1_000)).toBeLessThan(3);
    }
    expect(requests.length).toBe(this.arrived.size);
  }

  async close(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.stop()));
  }
}

describeWith('faketime', 'a clock that is wrong', (library) => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-clocks-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.concurrent('and is set by an hour, there and back, changes neither polls nor stalls, times or signatures', async () => {
    const clock = new FakedClock(library, join(folder, 'stepped'));
    const scene = await Scene.open([clock]);
    const quoteIds = await scene.payments();
    const [waiting = '', inFlight = '', failing = '', expired = ''] = quoteIds;
    const endedAt = Date.now();
    const lines = (words: RegExp): number => scene.first.lines.filter((line) => words.test(line)).length;
    const changes = [
      () => {
        scene.stage.say([waiting], 'DEPOSIT_RECEIVED');
        scene.stage.say([failing], 'FAILED');
      },
      () => scene.stage.provider.setStatus(inFlight, { execution: { txHash: '0x01' } }),
      () => scene.stage.say([waiting], 'EXECUTING'),
      () => scene.stage.provider.setStatus(inFlight, { execution: { txHash: '0x02' } }),
    ];
    for (const [index, offsetMs] of [HOUR_MS, 0, -HOUR_MS, 0].entries()) {
      clock.step(offsetMs / 1_000);
      await waitFor(async () => Math.abs(((await scene.skewSeconds()) ?? 0) - offsetMs / 1_000) < 2);
      const { status, checks } = await scene.health();
      const detail = `this machine's clock is 3600 s ${offsetMs > 0 ? 'ahead of' : 'behind'} the database's`;
      expect([status, checks.clock]).toEqual(
        offsetMs === 0 ? ['ok', { status: 'ok' }] : ['degraded', { status: 'degraded', detail }],
      );
      changes[index]?.();
      await sleep(7_000);
      expect([lines(/clock is 3600 s/), lines(/agrees with the database's again/)]).toEqual([
        Math.floor(index / 2) + 1,
        Math.floor((index + 1) / 2),
      ]);
    }
    scene.stage.say([expired, failing], 'COMPLETED');
    await scene.seen('COMPLETED', 2, 2 * WATCH_MS + (Date.now() - endedAt) / 2);
    scene.stage.say([waiting, inFlight], 'COMPLETED');
    await scene.seen('COMPLETED', quoteIds.length);
    await scene.expectSound(quoteIds);
    await scene.close();
  }, 150_000);

  it.concurrent('by ten minutes on two replicas of three, one ahead and one behind, is reported and harms nothing', async () => {
    const clocks = [TEN_MINUTES_S, 0, -TEN_MINUTES_S].map((seconds) => {
      const clock = new FakedClock(library, join(folder, `skewed${seconds}`));
      clock.step(seconds);
      return clock;
    });
    const scene = await Scene.open(clocks);
    const quoteIds = await scene.payments();
    const ended = quoteIds.filter((_id, index) => index % 4 > 1);
    const failing = quoteIds.filter((_id, index) => index % 4 === 2);
    scene.stage.say(failing, 'FAILED');
    await scene.seen('FAILED', failing.length);
    const endedAt = Date.now();
    const healths = await Promise.all(scene.apps.map((app) => scene.health(app)));
    expect(healths.map(({ checks }) => checks.clock.detail)).toEqual([
      "this machine's clock is 600 s ahead of the database's",
      undefined,
      "this machine's clock is 600 s behind the database's",
    ]);
    const skews = await Promise.all(scene.apps.map((app) => scene.skewSeconds(app)));
    for (const [index, seconds] of [600, 0, -600].entries()) expect(skews[index]).toBeCloseTo(seconds, 0);
    await sleep(WATCH_MS + 12_000);
    // Each replica polls as often as the late watch intends, and not more often.
    for (const id of ended) expect(scene.requests.gaps(id, endedAt).length).toBeLessThanOrEqual(1);
    scene.stage.say(quoteIds, 'COMPLETED');
    await scene.seen('COMPLETED', quoteIds.length, 2 * WATCH_MS + (Date.now() - endedAt) / 2);
    await scene.expectSound(quoteIds);
    await scene.close();
  }, 150_000);
});
