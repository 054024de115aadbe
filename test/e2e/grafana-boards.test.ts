import { defaultDashboard } from '@grafana/schema';
import { beforeAll, describe, expect, it } from '@jest/globals';

import { brokerUrl } from '../support/broker.ts';
import { BrokerQueues } from '../support/broker-queues.ts';
import { grafanaBoards, queriesOf } from '../support/grafana-boards.ts';
import { readQuery } from '../support/promql.ts';
import { PrometheusText } from '../support/prometheus-text.ts';
import { Stage } from '../support/stage.ts';

/** The labels that Prometheus adds to all scraped series. */
const ADDED = new Set(['job', 'instance']);
const BOARDS = grafanaBoards();

/** The metrics of a Paybell under load, with payments that go to a shop and the broker. */
async function scrapeUnderLoad(): Promise<PrometheusText> {
  const queues = await BrokerQueues.open(brokerUrl());
  const stage = await Stage.open();
  const app = await stage.startWarm({
    RABBITMQ_URL: brokerUrl(),
    RABBITMQ_EVENT_QUEUE: queues.name('events'),
    PROVIDER_MAX_RPM: '100000',
  });
  await stage.addShop(app);
  const quoteIds = await stage.quotes(app, 5);
  for (const status of ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED']) stage.say(quoteIds, status);
  for (const quoteId of quoteIds) await stage.published(app, quoteId, ['created', 'completed']);
  return new PrometheusText(await (await app.fetch('/metrics')).text());
}

/** The values that the text of a matcher names. */
const alternatives = (value: string): string[] => value.split('|');

it.each(BOARDS)(
  'deploy/grafana/%s has what Grafana needs, all that a reader needs, and no panel over another',
  (_file, board) => {
    const shown = board.panels.filter(({ type }) => type !== 'row');

    expect(board.schemaVersion).toBe(defaultDashboard.schemaVersion);
    const variables = board.templating?.list?.map(({ name, type }) => [name, type]);
    expect(variables).toEqual([
      ['datasource', 'datasource'],
      ['job', 'query'],
    ]);
    const sources = new Set(shown.map(({ datasource }) => JSON.stringify(datasource)));
    expect([...sources]).toEqual(['{"type":"prometheus","uid":"${datasource}"}']);

    expect(shown.length).toBeGreaterThan(10);
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
    for (const { title } of board.panels) expect(title).toMatch(/\w/);
    for (const { title, description, fieldConfig, targets = [] } of shown) {
      expect([title, description, fieldConfig?.defaults.unit]).toEqual([
        title,
        expect.stringMatching(/\.$/),
        expect.stringMatching(/^\w+$/),
      ]);
      expect(targets.length).toBeGreaterThan(0);
      for (const { legendFormat } of targets) expect(legendFormat).toMatch(/\w/);
    }

    for (const { gridPos: one, id } of board.panels) {
      expect(one.x + one.w).toBeLessThanOrEqual(24);
      const covers = board.panels.filter(
        ({ gridPos: other, id: otherId }) =>
          otherId !== id &&
          one.x < other.x + other.w &&
          other.x < one.x + one.w &&
          one.y < other.y + other.h &&
          other.y < one.y + one.h,
      );
      expect(covers.map(({ title }) => title)).toEqual([]);
    }
  },
);

describe('the queries of the boards', () => {
  let scraped: PrometheusText;
  beforeAll(async () => {
    scraped = await scrapeUnderLoad();
  });

  const labelsOf = (metric: string): Set<string> =>
    new Set(samplesOf(metric).flatMap(({ labels }) => Object.keys(labels)));
  const samplesOf = (metric: string): ReturnType<PrometheusText['samples']> =>
    scraped.samples().filter(({ name }) => name === metric);
  const queries = BOARDS.flatMap(([, board]) => queriesOf(board, 'paybell'));

  it('ask for what a Paybell under ordinary load has', () => {
    for (const query of queries) expectShown(query);
  });

  function expectShown(query: string): void {
    const { selectors, groupings } = readQuery(query);
    expect([query, selectors.length > 0]).toEqual([query, true]);
    for (const { metric, matchers } of selectors) {
      expect([query, metric, samplesOf(metric).length > 0]).toEqual([query, metric, true]);
      expect(matchers).toContainEqual({ label: 'job', operator: '=', value: 'paybell' });
      for (const { label, value } of matchers.filter((each) => !ADDED.has(each.label))) {
        const values = samplesOf(metric).map(({ labels }) => labels[label]);
        for (const named of alternatives(value))
          expect([query, label, values]).toEqual([query, label, expect.arrayContaining([named])]);
      }
    }
    for (const { labels, metrics } of groupings)
      for (const metric of metrics)
        expect([metric, ...labelsOf(metric), ...ADDED]).toEqual(expect.arrayContaining([...labels]));
  }
});
