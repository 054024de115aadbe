import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';

import { PrometheusMeter } from '../../src/platform/metrics/prometheus-meter.ts';
import { PrometheusMetrics } from '../../src/platform/metrics/prometheus-metrics.ts';
import { CorrectedClock } from '../../src/platform/process/corrected-clock.ts';
import { NO_SCALE } from '../../src/domain/polling/interval-scale.ts';
import { NOTHING_UNTOLD } from '../../src/ports/untold.ts';
import { DESTINATION_KINDS } from '../support/destination-kinds.ts';
import { ALERTS_FILE, alertRules } from '../support/alert-rules.ts';
import { readQuery } from '../support/promql.ts';
import { PrometheusText } from '../support/prometheus-text.ts';
import { alertsDoc } from '../../tools/generate/alerts-doc.ts';

interface Described {
  readonly name: string;
  readonly type: string;
  readonly labels: string[];
}

const DOCUMENT = join(import.meta.dirname, '../../docs/running/metrics.md');
const ROW = /^\| `(\w+)`\s*\| (counter|gauge|histogram)\s*\|([^|]*)\|(.*)\|$/;
const BLOCKS = /```(yaml|promql)\n([\s\S]*?)```/g;

let text = '';
let registered: Described[] = [];
let scraped: PrometheusText;

const codeSpans = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

beforeAll(async () => {
  text = await readFile(DOCUMENT, 'utf8');
  const registry = new Registry();
  new PrometheusMeter(registry, DESTINATION_KINDS).of('http');
  const { text: scrape } = await new PrometheusMetrics(
    registry,
    DESTINATION_KINDS,
    new CorrectedClock(),
  ).render({
    providers: [
      {
        provider: 'http',
        schedule: { open: [], lagMs: 0 },
        asking: { budget: { perMinute: 1, available: 1 }, circuit: 'closed', scale: NO_SCALE },
      },
    ],
    deliveries: { oldest: [], endpoints: [], unreadableSecrets: 0, untold: NOTHING_UNTOLD },
    logHeldMs: 0,
    epoch: 0,
  });
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

/** The blocks of code in one language, one text. */
function blocks(language: string): string {
  return [...text.matchAll(BLOCKS)].flatMap(([, name, code]) => (name === language ? [code] : [])).join('\n');
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
    const named = pairs.filter(([label]) => !['le', 'version', 'status', 'provider'].includes(label));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(([, value]) => !spans.has(value))).toEqual([]);
  });

  it('asks only for metrics, labels and values that exist', async () => {
    const rules = (await alertRules()).map(({ expr }) => expr);
    const queries = [...blocks('promql').split('\n\n'), ...rules].map(readQuery);
    const selectors = queries.flatMap((query) => query.selectors);
    const ours = selectors.filter(({ metric }) => metric.startsWith('paybell_'));
    expect(ours.length).toBeGreaterThan(30);
    expect(new Set(selectors.map(({ metric }) => metric.split('_')[0]))).toEqual(new Set(['paybell', 'up']));
    for (const { metric, matchers } of ours) {
      const name = metric.replace(/_(?:bucket|sum|count)$/, '');
      expect([name, scraped.families.has(name)]).toEqual([name, true]);
      for (const { label, value } of matchers) {
        const known = scraped.samplesOf(name).map(({ labels }) => labels[label]);
        for (const each of value.split('|')) expect(known).toContain(each);
      }
    }
  });

  it('has the table of alerts that npm run generate makes', async () => {
    expect(text).toContain('<!-- npm run generate: alerts -->');
    expect(await alertsDoc(text, await readFile(ALERTS_FILE, 'utf8'))).toBe(text);
  });
});

describe('deploy/prometheus/rules.yml', () => {
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
          runbook_url: `docs/running/alerts.md#${rule.alert.toLowerCase()}`,
        },
      });
  });

  it('has a runbook for each alert, which says the cause, where to look and what to do', async () => {
    const alerts = await readFile(new URL('../../docs/running/alerts.md', import.meta.url), 'utf8');
    const [, ...runbooks] = alerts.split('\n## ');
    const names = runbooks.map((runbook) => runbook.split('\n')[0]);
    expect(names).toEqual((await alertRules()).map(({ alert }) => alert));
    for (const runbook of runbooks)
      expect(runbook.match(/^- \*\*(\w+)\*\*/gm)).toEqual(['- **Cause**', '- **Look**', '- **Do**']);
  });
});
