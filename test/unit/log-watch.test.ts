import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { LogWatch } from '../../src/features/events/log-watch.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { FakeEventLog } from '../support/fakes/event-log.fake.ts';

let eventLog: FakeEventLog;
let watch: LogWatch;
let warnings: ReturnType<typeof jest.spyOn>;
let news: ReturnType<typeof jest.spyOn>;

beforeEach(() => {
  warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  news = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
  eventLog = new FakeEventLog();
  watch = new LogWatch(eventLog, new FakeDatabaseHealth());
});

afterEach(() => void jest.restoreAllMocks());

describe('the watch over the event log', () => {
  it('says nothing of transactions that end in time', async () => {
    eventLog.heldMs = 30_000;
    await watch.poll(0);
    expect([warnings.mock.calls, news.mock.calls]).toEqual([[], []]);
  });

  it('logs what is held up and what to do, once a minute, and when it is over', async () => {
    eventLog.heldMs = 31_000;
    await watch.poll(0);
    expect(warnings.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^process 1 \(psql\) has a transaction open since .* keeps events of the last 31 s out/,
        ),
      ],
    ]);
    const [[published]] = warnings.mock.calls as [[string]];
    for (const word of ['pg_stat_activity', 'pg_prepared_xacts', 'idle_in_transaction_session_timeout'])
      expect(published).toContain(word);
    for (const nowMs of [10_000, 59_999, 60_000, 119_999]) await watch.poll(nowMs);
    expect(warnings.mock.calls).toHaveLength(2);

    eventLog.heldMs = 0;
    await watch.poll(120_000);
    await watch.poll(130_000);
    expect(news.mock.calls).toEqual([['/api/events and the streams show all events again']]);
    eventLog.heldMs = 31_000;
    await watch.poll(140_000);
    expect(warnings.mock.calls).toHaveLength(3);
  });

  it('begins by itself once the database is ready, and stops', async () => {
    eventLog.heldMs = 31_000;
    watch.onApplicationBootstrap();
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings.mock.calls).toHaveLength(1);
    watch.onModuleDestroy();
    await watch.beforeApplicationShutdown();
  });
});
