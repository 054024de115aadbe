import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { stringify } from 'yaml';

import { ALERTS_FILE, alertRules } from '../support/alert-rules.ts';
import { readQuery } from '../support/promql.ts';
import { describeWith } from '../support/describe-with.ts';

type Series = { readonly series: string; readonly values: string };

const RULES = fileURLToPath(ALERTS_FILE);
/** An hour of two replicas under ordinary load, scraped each minute; `npm run record` makes it. */
const RECORDED = new URL('../recorded/ordinary-load.series', import.meta.url);
const MINUTES = 60;

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-rules-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let recorded: Series[] = [];
beforeAll(async () => {
  const lines = (await readFile(RECORDED, 'utf8')).trimEnd().split('\n');
  const read = lines.map((line) => {
    const [series = '', values = ''] = line.split('\t');
    return { series, values };
  });
  const instances = new Set(read.map(({ series }) => /instance="([^"]+)"/.exec(series)?.[1] ?? ''));
  const up = [...instances].map((instance) => ({
    series: `up{job="paybell",instance="${instance}"}`,
    values: `1x${MINUTES}`,
  }));
  recorded = [...read, ...up];
});

async function promtool(...words: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('promtool', words);
  return stdout + stderr;
}

/** Every rule is silent in each minute. */
async function silence(): Promise<object[]> {
  const names = (await alertRules()).map(({ alert }) => alert);
  const minutes = Array.from({ length: MINUTES + 1 }, (_, minute) => `${minute}m`);
  return names.flatMap((alertname) => minutes.map((at) => ({ eval_time: at, alertname, exp_alerts: [] })));
}

/** Lets promtool judge an hour of these series. */
async function judge(name: string, series: readonly Series[], expected?: readonly object[]): Promise<string> {
  const tests = expected ?? (await silence());
  const file = join(folder, `${name}.yml`);
  const test = { interval: '1m', input_series: series, alert_rule_test: tests };
  writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: [test] }));
  return promtool('test', 'rules', file);
}

it('the hour of recorded ordinary load has each metric that a rule asks for', async () => {
  const names = new Set(recorded.map(({ series }) => series.split('{')[0]));
  const asked = (await alertRules()).flatMap(({ expr }) =>
    readQuery(expr).selectors.map(({ metric }) => metric),
  );
  expect(asked.filter((metric) => !names.has(metric))).toEqual([]);
});

describeWith('prometheus', 'promtool', () => {
  it('finds no fault in the rules', async () => {
    expect(await promtool('check', 'rules', RULES)).toContain(
      `SUCCESS: ${(await alertRules()).length} rules found`,
    );
  });

  it('the rules are silent in an hour of recorded ordinary load', async () => {
    const counts = recorded.flatMap(({ series, values }) =>
      series.startsWith('paybell_polls_total{provider="http",outcome="changed"')
        ? [Number(values.split(' ').at(-1))]
        : [],
    );
    const isUp = ({ series }: Series): boolean => series.startsWith('paybell_database_up{');
    expect(recorded.filter(isUp).map(({ values }) => values)).toEqual([`1x${MINUTES}`, `1x${MINUTES}`]);
    expect(counts.length).toBe(2);
    for (const count of counts) expect(count).toBeGreaterThan(500);
    expect(await judge('ordinary', recorded)).toContain('SUCCESS');
  });

  /** The recorded hour in which all webhook attempts fail, with these states of the endpoints. */
  const refused = (...states: readonly string[]): Series[] =>
    recorded.map((each) => {
      const isOf = (text: string): boolean => each.series.startsWith(text);
      const attempts = 'paybell_delivery_attempts_total{destination="webhook",outcome=';
      if (isOf(`${attempts}"delivered"`)) return { ...each, values: `9x${MINUTES}` };
      if (isOf(`${attempts}"status"`)) return { ...each, values: `0+2x${MINUTES}` };
      const isState = states.some((state) => isOf(`paybell_webhook_endpoints{state="${state}"`));
      return isState ? { ...each, values: `1x${MINUTES}` } : each;
    });

  it('the rules are silent while only the retries of refused payments are made, and not while an endpoint fails', async () => {
    expect(await judge('refused', refused('refusing'))).toContain('SUCCESS');
    await expect(judge('failing', refused('failing'))).rejects.toThrow(/PaybellAttemptsFail/);
  });

  /** The hour with these values in the series that begin so: each minute's, or one for all. */
  const changed = (values: Readonly<Record<string, string>>): Series[] =>
    recorded.map((each) => {
      const [, changedTo] = Object.entries(values).find(([begin]) => each.series.startsWith(begin)) ?? [];
      if (changedTo === undefined) return each;
      return { ...each, values: changedTo.includes(' ') ? changedTo : `${changedTo}x${MINUTES}` };
    });

  const LATE = 'paybell_delivery_delay_seconds_bucket{le=';
  it.each([
    {
      alertname: 'PaybellBudgetShort',
      values: {
        'paybell_interval_scale{provider="http",class="attended"': '61',
        'paybell_noticed_after_seconds{provider="http",change="deposit"': '429',
        paybell_budget_needed_per_minute: '900',
        paybell_budget_limit_per_minute: '5.76',
      },
      labels: { provider: 'http', severity: 'warning' },
      says: 'http: a deposit is noticed after about 7m 9s; it needs 900 requests a minute and has 6.',
    },
    {
      alertname: 'PaybellNeedsPerson',
      values: { 'paybell_attention_items{code="payments_stalled"': '3' },
      labels: { code: 'payments_stalled', severity: 'critical' },
      says: 'payments_stalled, 3 in number: `paybell doctor` and the page Attention name them.',
    },
    {
      alertname: 'PaybellEventsLate',
      values: {
        [`${LATE}"5",destination="webhook"`]: '0+3',
        [`${LATE}"60",destination="webhook"`]: '0+4',
        [`${LATE}"+Inf",destination="webhook"`]: '0+4',
      },
      labels: { destination: 'webhook', severity: 'warning' },
      says: '25% of the events of the last minutes were acknowledged by webhook 5 s to a minute after they happened.',
    },
  ])('$alertname says $says', async ({ alertname, values, labels, says }) => {
    const { annotations } = (await alertRules()).find(({ alert }) => alert === alertname) ?? {};
    const runbook_url = annotations?.['runbook_url']?.replace('{{ $labels.code }}', labels.code ?? '');
    const exp_annotations = { ...annotations, description: says, runbook_url };
    const exp_alerts = [{ exp_labels: { job: 'paybell', ...labels }, exp_annotations }];
    const expected = [{ eval_time: `${MINUTES}m`, alertname, exp_alerts }];
    expect(await judge(alertname, changed(values), expected)).toContain('SUCCESS');
  });

  it('no alert says that events are late once a shop that was down for ten minutes gets what waited', async () => {
    const sums = (each: (minute: number) => number): string => {
      let sum = 0;
      return Array.from({ length: MINUTES + 1 }, (_, minute) => (sum += each(minute))).join(' ');
    };
    const isDown = (minute: number): boolean => minute >= 15 && minute < 25;
    const inTime = (minute: number): number => (isDown(minute) ? 0 : 10);
    const ofLastMinute = (minute: number): number => (minute === 25 ? 10 : 0);
    const ofBacklog = (minute: number): number => (minute >= 25 && minute < 45 ? 5 : 0);
    const late = changed({
      [`${LATE}"5",destination="webhook"`]: sums(inTime),
      [`${LATE}"60",destination="webhook"`]: sums((minute) => inTime(minute) + ofLastMinute(minute)),
      [`${LATE}"+Inf",destination="webhook"`]: sums(
        (minute) => inTime(minute) + ofLastMinute(minute) + ofBacklog(minute),
      ),
    });
    const silent = (await silence()).filter(
      (each) => (each as { alertname: string }).alertname === 'PaybellEventsLate',
    );
    expect(await judge('mended', late, silent)).toContain('SUCCESS');
  });

  it('one alert tells of a database that is away', async () => {
    const away = changed({
      paybell_database_up: '0',
      'paybell_attention_items{code="database_failing"': '1',
    });
    const silent = { eval_time: `${MINUTES}m`, alertname: 'PaybellNeedsPerson', exp_alerts: [] };
    expect(await judge('away', away, [silent])).toContain('SUCCESS');
  });

  it('one alert tells of a provider that is not polled, and none of its late polls', async () => {
    const lag = { 'paybell_schedule_lag_seconds{': '139' };
    const silent = { eval_time: `${MINUTES}m`, alertname: 'PaybellScheduleLate', exp_alerts: [] };
    await expect(judge('slow', changed(lag), [silent])).rejects.toThrow(/PaybellScheduleLate/);
    const open = changed({ ...lag, 'paybell_provider_circuit{provider="http",state="open"': '1' });
    expect(await judge('open', open, [silent])).toContain('SUCCESS');
  });

  it('the same hour is not silent with one figure of a fault', async () => {
    const isHeld = ({ series }: Series): boolean => series.startsWith('paybell_event_log_held_seconds');
    const held = recorded.map((each) => (isHeld(each) ? { ...each, values: `60x${MINUTES}` } : each));
    await expect(judge('held', held)).rejects.toThrow(/PaybellEventLogHeld/);
  });
});
