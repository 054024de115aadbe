import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { isRefusal, RefusedChanges } from '../../src/features/audit/refused-changes.ts';
import type { AuditedChange } from '../../src/ports/audit-log.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { Timers } from '../../src/ports/timers.ts';
import { FakeAuditLog } from '../support/fakes/audit-log.fake.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';

const VALUES = { orderId: 'x'.repeat(1_000) };

let log: FakeAuditLog;
let refused: RefusedChanges;
let due: (() => void)[];

beforeEach(() => {
  log = new FakeAuditLog(new FakeClock());
  due = [];
  const timers: Timers = {
    nowMs: () => 0,
    after: (_ms, act) => {
      due.push(act);
      return () => undefined;
    },
  };
  refused = new RefusedChanges(log, timers);
});
afterEach(() => {
  jest.restoreAllMocks();
});

function changeOf(who: string): AuditedChange {
  const by = { who, role: 'shop', address: '10.0.0.1', via: 'api' } as const;
  return { ...by, action: 'payment.track', target: 'q-1', values: VALUES };
}

/** As a request that is refused before its handler runs, or by the handler. */
async function refuse(count: number, who = 'web', isBegun = false): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const change = changeOf(who);
    await refused.noteChange(change, isBegun ? await log.begin(change) : null, isBegun ? 404 : 400);
  }
}

async function endMinute(): Promise<void> {
  for (const act of due.splice(0)) act();
  await new Promise((resolve) => setImmediate(resolve));
}

const summaryOf = (): unknown[] =>
  log.entries.map(({ who, action, target, status, values }) => [who, action, target, status, values]);

const ONE = ['web', 'payment.track', 'q-1', 400, {}];

describe('a change that ended with a problem', () => {
  it.each([
    ['invalid_request', 400, true],
    ['too_many_tests', 429, true],
    ['provider_unavailable', 503, true],
    ['provider_credentials', 502, true],
    ['provider_misconfigured', 502, true],
    ['database_unavailable', 503, false],
    ['internal', 500, false],
  ])('%s, %d: was not made for sure: %s', (code, status, isRefused) => {
    expect(isRefusal({ code, status })).toBe(isRefused);
  });
});

describe('refused changes', () => {
  it('have an entry each, without values', async () => {
    await refuse(2);
    await refuse(1, 'web', true);
    expect(summaryOf()).toEqual([ONE, ONE, ['web', 'payment.track', 'q-1', 404, {}]]);
  });

  it.each([false, true])(
    'of one key are counted in one entry after sixty in a minute; begun before: %s',
    async (isBegun) => {
      await refuse(60);
      await refuse(500, 'web', isBegun);
      expect(log.entries).toHaveLength(61);
      expect(refused.hasRoom('web')).toBe(false);
      await endMinute();
      const status = isBegun ? 404 : 400;
      expect(summaryOf()).toEqual([
        ...Array.from({ length: 60 }, () => ONE),
        ['web', 'request.refused', null, status, { count: 500 }],
      ]);
    },
  );

  it('have entries again in the next minute', async () => {
    await refuse(65);
    await endMinute();
    expect(refused.hasRoom('web')).toBe(true);
    await refuse(65);
    await endMinute();
    expect(log.entries).toHaveLength(122);
  });

  it('of one key take no room from those of another', async () => {
    await refuse(60);
    await refuse(1, 'other');
    expect(log.entries.at(-1)).toMatchObject({ who: 'other', action: 'payment.track', status: 400 });
  });

  it('are counted at a stop too', async () => {
    await refuse(63);
    await refused.beforeApplicationShutdown();
    expect(log.entries.at(-1)).toMatchObject({ action: 'request.refused', values: { count: 3 } });
  });

  it('are counted again once the database is back', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    await refuse(60);
    const begin = jest.spyOn(log, 'begin').mockRejectedValueOnce(new StoreUnavailable());
    await expect(refuse(1)).rejects.toThrow(StoreUnavailable);
    await refuse(1);
    await endMinute();
    expect(begin).toHaveBeenCalledTimes(2);
    expect(log.entries.at(-1)).toMatchObject({ action: 'request.refused', values: { count: 2 } });
  });
});
