import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { Cleanup } from '../testkit/cleanup.ts';
import { OrdinaryLoad } from './ordinary-load.ts';
import { readScrape, type Scrape, writeSeries } from './series.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    out: { type: 'string', default: 'recorded.series' },
  },
});
const MINUTE_MS = 60_000;
const QUOTE_EVERY_MS = 3_000;

/** The metrics of the rules: no other metric can make a rule fire. */
const METRICS = new Set(readFileSync('deploy/prometheus/rules.yml', 'utf8').match(/\bpaybell_\w+/g));

/**
 * `npm run record`: the answers of two replicas under ordinary load to a scrape each minute, with the metrics of the alert
 * rules.
 */
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-recording-'));
const cleanup = new Cleanup();
cleanup.add(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

async function scrape({ replicas }: OrdinaryLoad): Promise<Scrape> {
  const series = replicas.map(async (replica, index) => {
    const text = await (await replica.fetch('/metrics')).text();
    return readScrape(text, METRICS, { job: 'paybell', instance: `paybell-${index + 1}` });
  });
  return new Map((await Promise.all(series)).flatMap((each) => [...each]));
}

async function record(): Promise<void> {
  const load = await OrdinaryLoad.start(folder, cleanup);
  const scrapes: Scrape[] = [];
  const begin = Date.now();
  let quotes = 0;
  while (scrapes.length <= Number(values.minutes) && !stop.signal.aborted) {
    if (Date.now() >= begin + scrapes.length * MINUTE_MS) {
      scrapes.push(await scrape(load));
      writeFileSync(values.out, writeSeries(scrapes));
    }
    if (Date.now() >= begin + quotes * QUOTE_EVERY_MS) {
      quotes += 1;
      await load.buy();
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

try {
  await record();
} finally {
  for (const problem of await cleanup.run()) process.stderr.write(`${problem}\n`);
}
