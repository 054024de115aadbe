import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { openLargePages } from '../support/large-pages.ts';
import { countHeld, descriptorsOf, RawConnection, requestText } from '../support/raw-connection.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

function rss(app: AppProcess): number {
  const status = readFileSync(`/proc/${app.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}

describe('pages of a real process', () => {
  it('that nobody reads are gone after a minute, with bounded memory until then', async () => {
    const { app } = await openLargePages();
    const before = rss(app);
    const readers = await Promise.all(Array.from({ length: 12 }, () => RawConnection.open(app.url)));
    for (const reader of readers)
      reader.send(requestText('/api/events?limit=1000', { 'x-api-key': app.apiKey }));
    await sleep(10_000);
    expect(rss(app) - before).toBeLessThan(250);
    expect(countHeld(readers)).toBe(12);
    // Those whose answer the system has taken whole are idle, and closed after 65 s.
    await waitFor(() => countHeld(readers) === 0, { timeoutMs: 90_000, everyMs: 500 });
    expect(descriptorsOf(app.pid)).toBeLessThan(100);
  }, 180_000);
});
