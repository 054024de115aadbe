import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, beforeEach } from '@jest/globals';
import { Registry } from 'prom-client';
import { CODES, severityOf } from '../../src/features/attention/attention-item.ts';
import { FigureCounter } from '../../src/platform/metrics/figure-counter.ts';
import { ProcessMeter } from '../../src/platform/metrics/process-meter.ts';
import { PrometheusMetrics } from '../../src/platform/metrics/prometheus-metrics.ts';
import { CorrectedClock } from '../../src/platform/process/corrected-clock.ts';
import { NO_SCALE } from '../../src/domain/polling/interval-scale.ts';
import type { Figures } from '../../src/ports/metrics.ts';
import { NOTHING_UNTOLD } from '../../src/ports/untold-payments.ts';
import { DESTINATION_KINDS } from '../support/destination-kinds.ts';
import { alertRules } from '../support/alert-rules.ts';
import { grafanaBoards, queriesOf } from '../support/grafana-boards.ts';
import { readQuery } from '../support/promql.ts';
import { PrometheusText } from '../support/prometheus-text.ts';

describe('metrics doc', () => {
  interface Described {
    readonly name: string;
    readonly type: string;
    readonly labels: string[];
  }

  const DOCUMENT = join(import.meta.dirname, '../../docs/running/metrics.md');
  const ROW = /^\| `(\w+)`\s*\| (counter|gauge|histogram)\s*\|([^|]*)\|(.*)\|$/;
  /** The runbook of this rule is the one of its label `code`. */
  const BY_CODE = 'PaybellNeedsPerson';
  const BLOCKS = /```(yaml|promql)\n([\s\S]*?)```/g;

  let text = '';
  let registered: Described[] = [];
  let scraped: PrometheusText;

  const codeSpans = (cell: string): string[] =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

  beforeAll(async () => {
    text = await readFile(DOCUMENT, 'utf8');
    const registry = new Registry();
    new ProcessMeter(registry, DESTINATION_KINDS, new FigureCounter()).of('http');
    const figures: Figures = {
      providers: [
        {
          provider: 'http',
          schedule: { open: [], lagMs: 0 },
          unansweredQuotes: 0,
          asking: {
            budget: { perMinute: 1, available: 1 },
            circuit: 'closed',
            scale: NO_SCALE,
            short: null,
            isUnread: false,
          },
        },
      ],
      deliveries: { oldest: [], endpoints: [], unreadableSecrets: 0, untold: NOTHING_UNTOLD },
      logHeldMs: 0,
      epoch: 0,
    };
    const attention = CODES.map((code) => ({ code, severity: severityOf(code), count: 0 }));
    const rendered = new PrometheusMetrics(registry, DESTINATION_KINDS, new CorrectedClock());
    const { text: scrape } = await rendered.render(figures, attention);
    scraped = new PrometheusText(scrape);
    const metrics = registry.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[];
    const ours = metrics.filter(({ name }) => name.startsWith('paybell_'));
    registered = ours.map(({ name, labelNames }) => ({
      name,
      type: scraped.families.get(name)?.type ?? '',
      labels: [...labelNames].sort(),
    }));
  });

  function documented(): Described[] {
    return text.split('\n').flatMap((line) => {
      const [, name, type, labels = ''] = ROW.exec(line) ?? [];
      if (name === undefined || type === undefined) return [];
      return [{ name, type, labels: codeSpans(labels).sort() }];
    });
  }

  /** All blocks of code in one language, as one text. */
  function blocks(language: string): string {
    return [...text.matchAll(BLOCKS)]
      .flatMap(([, name, code]) => (name === language ? [code] : []))
      .join('\n');
  }

  describe('docs/running/metrics.md', () => {
    it('describes every metric of ours with its type and labels, and none that is not there', () => {
      const byName = (a: Described, b: Described): number => (a.name < b.name ? -1 : 1);
      expect(documented().sort(byName)).toEqual(registered.sort(byName));
    });

    it('names every value that a label of ours can have', () => {
      const spans = new Set(codeSpans(text.replace(BLOCKS, '')));
      const ours = scraped.samples().filter(({ name }) => name.startsWith('paybell_'));
      const pairs = ours.flatMap(({ labels }) => Object.entries(labels));
      // The codes are in figures.md and alerts.md.
      const others = new Set(['le', 'version', 'status', 'provider', 'code']);
      const named = pairs.filter(([label]) => !others.has(label));
      expect(named.length).toBeGreaterThan(20);
      expect(named.filter(([, value]) => !spans.has(value))).toEqual([]);
    });

    it('asks only for metrics, labels and values that exist', async () => {
      const rules = (await alertRules()).map(({ expr }) => expr);
      const described = (await alertRules()).flatMap(
        ({ annotations }) => annotations['description']?.match(/paybell_\w+/g) ?? [],
      );
      expect(described.filter((metric) => !scraped.families.has(metric))).toEqual([]);
      const queries = [...blocks('promql').split('\n\n'), ...rules].map(readQuery);
      const selectors = queries.flatMap((query) => query.selectors);
      const ours = selectors.filter(({ metric }) => metric.startsWith('paybell_'));
      expect(ours.length).toBeGreaterThan(30);
      expect(new Set(selectors.map(({ metric }) => metric.split('_')[0]))).toEqual(
        new Set(['paybell', 'up']),
      );
      for (const { metric, matchers } of ours) {
        const name = metric.replace(/_(?:bucket|sum|count)$/, '');
        expect([name, scraped.families.has(name)]).toEqual([name, true]);
        for (const { label, value } of matchers) {
          const known = scraped.samplesOf(name).map(({ labels }) => labels[label]);
          // Prometheus 3 writes the bound 5 as 5.0.
          for (const each of value.split('|'))
            expect(known).toContain(label === 'le' ? each.replace(/\.0$/, '') : each);
        }
      }
    });
  });

  it('has a panel of deploy/grafana for every metric, but for the RPCs', () => {
    const queries = grafanaBoards().flatMap(([, board]) => queriesOf(board, 'paybell'));
    const used = new Set(queries.flatMap((query) => readQuery(query).selectors.map(({ metric }) => metric)));
    // Without VERIFY no chain has a series for a board.
    const shown = registered.filter(({ name }) => !name.startsWith('paybell_chain_'));
    const unused = shown.filter(
      ({ name, type }) => !used.has(type === 'histogram' ? `${name}_bucket` : name),
    );
    expect(unused.map(({ name }) => name)).toEqual([]);
  });

  describe('deploy/prometheus/rules.yml', () => {
    it('has a fault in test/support/alert-faults.ts for each alert: npm run test:slow fires it', async () => {
      const faults = await readFile(new URL('../support/alert-faults.ts', import.meta.url), 'utf8');
      const names = (await alertRules()).map(({ alert }) => alert);
      expect(names.filter((name) => !faults.includes(`'${name}'`))).toEqual([]);
    });

    it('has all that a rule needs, each with a name of its own', async () => {
      const rules = await alertRules();
      expect(rules.length).toBeGreaterThanOrEqual(20);
      expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
      for (const rule of rules)
        expect(rule).toEqual({
          alert: expect.stringMatching(/^Paybell\w+$/),
          expr: expect.stringContaining('paybell_'),
          for: expect.stringMatching(/^\d+m$/),
          labels: { severity: expect.stringMatching(/^(warning|critical)$/) },
          annotations: {
            summary: expect.stringMatching(/\.$/),
            description: expect.stringMatching(/[.?]$/),
            runbook_url: `docs/running/alerts.md#${rule.alert === BY_CODE ? '{{ $labels.code }}' : rule.alert.toLowerCase()}`,
          },
        });
    });

    it('has a runbook for each alert, and for each code of attention beside them', async () => {
      const all = await runbooks();
      const alerts = (await alertRules()).map(({ alert }) => alert);
      expect(all.map(({ name }) => name).slice(0, alerts.length)).toEqual(alerts);
      for (const { steps } of all) expect(steps).toEqual(['Cause', 'Look', 'Do']);
      expect(all.flatMap(({ codes }) => codes).toSorted()).toEqual(CODES.toSorted());
      const figures = await readFile(new URL('../../docs/running/figures.md', import.meta.url), 'utf8');
      const rows = [...figures.matchAll(/^\| `(\w+)` +\| `(bad|warn)` /gm)].map(
        ([, code, severity]) => `${code} ${severity}`,
      );
      expect(rows.toSorted()).toEqual(CODES.map((code) => `${code} ${severityOf(code)}`).toSorted());
    });

    it('wakes a person for each bad code, by the rule of its own cause or by the one for all others', async () => {
      const rules = await alertRules();
      const { expr = '' } = rules.find(({ alert }) => alert === BY_CODE) ?? {};
      const matchers = readQuery(expr).selectors.flatMap((selector) => selector.matchers);
      const leftOut = matchers.find(({ label }) => label === 'code')?.value.split('|') ?? [];
      const runbookOf = new Map(
        (await runbooks()).flatMap(({ name, codes }) => codes.map((code) => [code, name])),
      );
      expect(leftOut.filter((code) => severityOf(code) !== 'bad')).toEqual([]);
      for (const code of CODES.filter((each) => severityOf(each) === 'bad')) {
        const woken = leftOut.includes(code) ? rules.map(({ alert }) => alert) : [code];
        expect([code, woken]).toEqual([code, expect.arrayContaining([runbookOf.get(code)])]);
      }
    });

    /** The parts of docs/running/alerts.md: the name, the text, and the codes of attention that each is for. */
    async function runbooks(): Promise<{ name: string; steps: string[]; codes: string[] }[]> {
      const alerts = await readFile(new URL('../../docs/running/alerts.md', import.meta.url), 'utf8');
      return alerts
        .split('\n## ')
        .slice(1)
        .map((text) => {
          const name = text.split('\n')[0] ?? '';
          const listed = codeSpans(/^Attention: .*$/m.exec(text)?.[0] ?? '');
          const steps = [...text.matchAll(/^- \*\*(\w+)\*\*/gm)].map(([, step]) => step ?? '');
          return { name, steps, codes: name.startsWith('Paybell') ? listed : [name, ...listed] };
        });
    }
  });
});

describe('metrics deliveries', () => {
  const DURATION = 'paybell_delivery_attempt_duration_seconds';
  const DELAY = 'paybell_delivery_delay_seconds';
  const ATTEMPTS = 'paybell_delivery_attempts_total';
  const AT_WEBHOOKS =
    'blocked_address delivered dns gone held redirect refused reset status timeout tls too_large'.split(' ');
  const HOUR_MS = 3_600_000;
  const WEBHOOK = { kind: 'webhook', id: '0f8fad5b-d9cb-469f-a165-70867728950e' };
  const EXCHANGE = { kind: 'rabbitmq', id: '7c9e6679-7425-40de-944b-e07fc1f90ae7' };

  let registry: Registry;
  let meter: ProcessMeter;

  beforeEach(() => {
    registry = new Registry();
    meter = new ProcessMeter(registry, DESTINATION_KINDS, new FigureCounter());
  });

  async function scrape(): Promise<PrometheusText> {
    return new PrometheusText(await registry.metrics());
  }

  describe('what the meter counts of deliveries', () => {
    it('is there at zero before anything has happened', async () => {
      const scraped = await scrape();
      const outcomesAt = (destination: string): string[] =>
        scraped
          .samplesOf(ATTEMPTS)
          .filter(({ labels, value }) => labels['destination'] === destination && value === 0)
          .map(({ labels }) => labels['outcome'] ?? '')
          .sort();
      expect(outcomesAt('webhook')).toEqual(AT_WEBHOOKS);
      expect(outcomesAt('rabbitmq')).toEqual(['broker_refused', 'delivered', 'held', 'nack', 'unroutable']);
      for (const destination of ['webhook', 'rabbitmq']) {
        expect(scraped.value(`${DURATION}_count`, { destination })).toBe(0);
        expect(scraped.value(`${DELAY}_count`, { destination })).toBe(0);
        expect(scraped.value('paybell_deliveries_given_up_total', { destination })).toBe(0);
      }
      for (const reason of ['gone', 'failing'])
        expect(scraped.value('paybell_endpoints_disabled_total', { reason })).toBe(0);
    });

    it('separates attempts by destination and outcome, and times all but those that were held', async () => {
      meter.attempted(WEBHOOK, 'delivered', 8);
      meter.attempted(WEBHOOK, 'timeout', 15_000);
      meter.attempted(WEBHOOK, 'held', 700);
      meter.attempted(EXCHANGE, 'nack', 2);
      const scraped = await scrape();
      const count = (destination: string, outcome: string): number | undefined =>
        scraped.value(ATTEMPTS, { destination, outcome });
      expect([count('webhook', 'delivered'), count('webhook', 'timeout'), count('webhook', 'held')]).toEqual([
        1, 1, 1,
      ]);
      expect([count('rabbitmq', 'nack'), count('rabbitmq', 'delivered')]).toEqual([1, 0]);
      expect(scraped.value(`${DURATION}_count`, { destination: 'webhook' })).toBe(2);
      expect(scraped.value(`${DURATION}_sum`, { destination: 'webhook' })).toBeCloseTo(15.008);
      expect(scraped.value(`${DURATION}_bucket`, { destination: 'webhook', le: '0.01' })).toBe(1);
      expect(scraped.value(`${DURATION}_count`, { destination: 'rabbitmq' })).toBe(1);
    });

    it('shows delays of milliseconds and of hours', async () => {
      for (const delayMs of [9, 140, 3 * HOUR_MS, 76 * HOUR_MS, -5]) meter.acknowledged(WEBHOOK, delayMs);
      meter.acknowledged(WEBHOOK, Number.NaN);
      const scraped = await scrape();
      const bucket = (le: string): number | undefined =>
        scraped.value(`${DELAY}_bucket`, { destination: 'webhook', le });
      expect(['0.005', '0.01', '0.15', '3600', '14400', '86400', '300000'].map(bucket)).toEqual([
        1, 2, 3, 3, 4, 4, 5,
      ]);
      expect(scraped.value(`${DELAY}_count`, { destination: 'webhook' })).toBe(5);
    });

    it('counts what was given up, and endpoints that were disabled, by the reason', async () => {
      meter.givenUp(WEBHOOK);
      meter.givenUp(WEBHOOK);
      meter.endpointDisabled('gone');
      const scraped = await scrape();
      expect(scraped.value('paybell_deliveries_given_up_total', { destination: 'webhook' })).toBe(2);
      expect(scraped.value('paybell_deliveries_given_up_total', { destination: 'rabbitmq' })).toBe(0);
      expect(scraped.value('paybell_endpoints_disabled_total', { reason: 'gone' })).toBe(1);
      expect(scraped.value('paybell_endpoints_disabled_total', { reason: 'failing' })).toBe(0);
    });
  });

  describe('what the meter counts of RabbitMQ', () => {
    it('is events that nobody was bound for, and tries at track messages by what they came to', async () => {
      const before = await scrape();
      expect(before.value('paybell_rabbitmq_unroutable_total')).toBe(0);
      for (const outcome of ['taken', 'rejected', 'held', 'failed'])
        expect(before.value('paybell_track_messages_total', { outcome })).toBe(0);
      meter.unroutable();
      meter.trackMessage('held');
      meter.trackMessage('held');
      const after = await scrape();
      expect(after.value('paybell_rabbitmq_unroutable_total')).toBe(1);
      expect(after.value('paybell_track_messages_total', { outcome: 'held' })).toBe(2);
      expect(after.value('paybell_track_messages_total', { outcome: 'taken' })).toBe(0);
    });
  });
});
