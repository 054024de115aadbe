import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { describe, expect, it } from '@jest/globals';

/** Jest's copy of `process.env` changes no time zone, so that another process reads the dates. */
const READ = `
  const { importSources } = await import('./tools/generate/import-sources.js');
  const { parseRetryAfter } = await importSources('./src/domain/text/retry-after.ts');
  const { readInstant } = await importSources('./src/domain/payment/reading.ts');
  const now = new Date('2026-11-20T12:00:00.000Z');
  const waits = ['Fri, 20 Nov 2026 12:00:30 GMT', 'Friday, 20-Nov-26 12:00:30 GMT', 'Fri Nov 20 12:00:30 2026'];
  const instants = ['2026-11-20T12:00:00', '2026-11-20 12:00:00', '2026-11-20T12:00:00Z', 'Nov 20 2026 12:00:00'];
  console.log(JSON.stringify({
    offset: now.getTimezoneOffset(),
    waits: waits.map((text) => parseRetryAfter(text, now)),
    instants: instants.map((text) => readInstant(text)),
  }));`;

async function readIn(zone: string): Promise<unknown> {
  const env = { ...process.env, TZ: zone };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', READ], {
    env,
  });
  return JSON.parse(stdout);
}

describe('a date from outside', () => {
  it.each([
    ['America/New_York', 300],
    ['Asia/Tokyo', -540],
  ])('is the same where the process runs in %s', async (zone, offset) => {
    const noon = '2026-11-20T12:00:00.000Z';
    const instants = [noon, noon, noon, null];
    expect(await readIn(zone)).toEqual({ offset, waits: [30_000, 30_000, 30_000], instants });
  });
});
