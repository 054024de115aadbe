import { readFile } from 'node:fs/promises';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { FAULTS, type Watch } from '../support/alert-faults.ts';
import { ALERTS_FILE, alertRules } from '../support/alert-rules.ts';
import { brokerUrl } from '../support/broker.ts';
import { BrokerQueues } from '../support/broker-queues.ts';
import { grafanaBoards, queriesOf } from '../support/grafana-boards.ts';
import { PrometheusServer } from '../support/prometheus-server.ts';
import { Stage } from '../support/stage.ts';

const FIRES_WITHIN_MS = 150_000;
const HEALTHY = 'healthy';
const STORY = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];
const STEP_MS = 1_000;

const RULES = await alertRules();
const NAMES = RULES.map(({ alert }) => alert);
const CASES = FAULTS.flatMap(({ job, alerts }) =>
  alerts.map(([alert, labels]) => [alert, { job, ...labels }] as const),
);

/** The rules with seconds in place of minutes in `for`, and otherwise unchanged. */
async function hurriedRules(): Promise<string> {
  return (await readFile(ALERTS_FILE, 'utf8')).replaceAll(/^( +for: \d+)m$/gm, '$1s');
}

/** Completes payments one after another at a shop that acknowledges, until `isOver`. */
async function live(stage: Stage, app: AppProcess, isOver: () => boolean): Promise<void> {
  const open = new Map<string, number>();
  while (!isOver()) {
    for (const [quoteId, step] of open) {
      stage.say([quoteId], STORY[step] ?? 'COMPLETED');
      if (step + 1 < STORY.length) open.set(quoteId, step + 1);
      else open.delete(quoteId);
    }
    open.set(await stage.quote(app), 0);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

describe('the alerts of deploy/prometheus/rules.yml in a real Prometheus', () => {
  let prometheus: PrometheusServer;
  let isOver = false;
  let healthy = Promise.resolve();
  const begun = new Map<string, Promise<void>>();

  beforeAll(async () => {
    prometheus = await PrometheusServer.start(await hurriedRules());
    const watch: Watch = {
      scrape: (job, app) => prometheus.scrape(job, app.url),
      fired: (alert, labels) => prometheus.fired(alert, labels, FIRES_WITHIN_MS),
    };
    const stage = await Stage.open();
    const app = await stage.start({
      POLL_INTERVAL_MS: '1000',
      POLL_MIN_GAP_MS: '500',
      PROVIDER_TIMEOUT_MS: '10000',
      PROVIDER_MAX_RPM: '6000',
      RABBITMQ_URL: brokerUrl(),
      RABBITMQ_EVENT_QUEUE: (await BrokerQueues.open(brokerUrl())).name('events'),
    });
    await stage.addShop(app);
    await watch.scrape(HEALTHY, app);
    healthy = live(stage, app, () => isOver);
    for (const fault of FAULTS) {
      const beginning = fault.begin(watch);
      beginning.catch(() => undefined);
      begun.set(fault.job, beginning);
    }
  });

  it('have a fault that fires each of them', () => {
    expect(new Set(CASES.map(([alert]) => alert))).toEqual(new Set(NAMES));
  });

  it.each(CASES)(
    '%s fires by its fault %j',
    async (alert, labels) => {
      const failure = begun.get(labels.job)?.then(() => new Promise<never>(() => undefined));
      await Promise.race([failure, prometheus.fired(alert, labels, FIRES_WITHIN_MS)]);
    },
    FIRES_WITHIN_MS + 30_000,
  );

  it('leave none of the boards in deploy/grafana without an answer', async () => {
    for (const query of grafanaBoards().flatMap(([, board]) => queriesOf(board, HEALTHY)))
      expect([query, (await prometheus.query(query)).length > 0]).toEqual([query, true]);
  });

  it('are silent at a Paybell beside that is well', async () => {
    isOver = true;
    await healthy;
    expect(await prometheus.query(`count_over_time(up{job="${HEALTHY}"}[1h]) > 30`)).toHaveLength(1);
    const fired = await prometheus.query(`count_over_time(ALERTS{job="${HEALTHY}",alertstate="firing"}[1h])`);
    expect(fired).toEqual([]);
  });
});
