import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll } from '@jest/globals';
import { stringify } from 'yaml';

import { dieWithParent } from '../../tools/testkit/die-with-parent.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Labels = Readonly<Record<string, string>>;

const EVERY = '1s';
const START_TIMEOUT_MS = 30_000;
const SCRAPE_TIMEOUT_MS = 60_000;
const KEPT_OUTPUT = 4_000;

const started: PrometheusServer[] = [];
afterAll(async () => {
  for (const server of started.splice(0)) await server.close();
});

/** A real Prometheus that scrapes and judges each second. */
export class PrometheusServer {
  private readonly targets: { targets: string[]; labels: Labels }[] = [];
  private output = '';

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text) => (this.output = `${this.output}${String(text)}`.slice(-KEPT_OUTPUT)));
    started.push(this);
  }

  static async start(rules: string): Promise<PrometheusServer> {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-prometheus-'));
    writeFileSync(join(folder, 'rules.yml'), rules);
    writeFileSync(join(folder, 'prometheus.yml'), configuration());
    const port = await freePort();
    const [command, ...args] = [
      ...dieWithParent('KILL'),
      'prometheus',
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const server = new PrometheusServer(folder, port, spawn(command, args, { cwd: folder }));
    await waitFor(async () => (await fetch(`${server.url}/-/ready`)).ok, {
      timeoutMs: START_TIMEOUT_MS,
      everyMs: 100,
      what: 'Prometheus to be ready',
    }).catch((error: Error) => {
      throw new Error(`${error.message}; it printed:\n${server.output}`);
    });
    return server;
  }

  /** Scrapes a process under a job's name from now on; resolves after its first scrape. */
  async scrape(job: string, url: string): Promise<void> {
    const { host } = new URL(url);
    this.targets.push({ targets: [host], labels: { job } });
    writeFileSync(join(this.folder, 'targets.json'), JSON.stringify(this.targets));
    // True once a counter has increased that an earlier scrape saw.
    const isScraped = async (): Promise<boolean> =>
      (await this.query(`count_over_time(up{instance="${host}"}[1m]) >= 2`)).length > 0;
    await waitFor(isScraped, {
      timeoutMs: SCRAPE_TIMEOUT_MS,
      everyMs: 300,
      what: `${job} to be scraped`,
    });
  }

  /** The labels of each series that the query answers. */
  async query(query: string): Promise<Labels[]> {
    const answer = await fetch(`${this.url}/api/v1/query?${new URLSearchParams({ query }).toString()}`);
    const body = (await answer.json()) as { error?: string; data?: { result: { metric: Labels }[] } };
    if (body.data === undefined) throw new Error(`${query}: ${body.error}`);
    return body.data.result.map(({ metric }) => metric);
  }

  /** Resolves once the alert has fired with these labels, now or earlier. */
  async fired(alert: string, labels: Labels, timeoutMs: number): Promise<void> {
    const all = { alertname: alert, alertstate: 'firing', ...labels };
    const selector = Object.entries(all).map(([name, value]) => `${name}="${value}"`);
    const query = `count_over_time(ALERTS{${selector.join(',')}}[1h])`;
    await waitFor(async () => (await this.query(query)).length > 0, {
      timeoutMs,
      everyMs: 500,
      what: `${alert} to fire with ${JSON.stringify(labels)}`,
    });
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.kill('SIGKILL')) await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  private get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
}

function configuration(): string {
  return stringify({
    global: { scrape_interval: EVERY, scrape_timeout: EVERY, evaluation_interval: EVERY },
    rule_files: ['rules.yml'],
    scrape_configs: [{ job_name: 'paybell', file_sd_configs: [{ files: ['targets.json'] }] }],
  });
}
