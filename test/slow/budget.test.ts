import { beforeAll, describe, expect, it } from '@jest/globals';

import type { UrgencyName } from '../../src/domain/polling/urgency.ts';
import { AppProcess } from '../support/app-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { StatusRequests } from '../support/status-requests.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const MAX_RPM = 600;
const INTERVAL_MS = 1_000;
const MIN_GAP_MS = 500;
/** What may go out at once: a fiftieth of the minute's requests. */
const BURST = MAX_RPM / 50;
/** Taken requests are held for a moment, by each replica, and bunch up on their way. */
const HELD_S = 2;
const ROUND_MS = 10 * INTERVAL_MS;
/** Requests arrive later than they start, on a busy machine much later, and not all by the same. */
const ARRIVAL_MS = 250;
const SETTINGS = {
  PROVIDER_MAX_RPM: String(MAX_RPM),
  POLL_INTERVAL_MS: String(INTERVAL_MS),
  POLL_MIN_GAP_MS: String(MIN_GAP_MS),
  // A hint waits until no poll can be under way any more.
  PROVIDER_TIMEOUT_MS: '500',
};

let stage: Stage;
let apps: [AppProcess, AppProcess];
let requests: StatusRequests;
let inFlight: string[];
let unattended: string[];
/** Since when the intervals fit the budget. */
let settledAt = 0;

async function startTwo(): Promise<[AppProcess, AppProcess]> {
  const env = stage.env(SETTINGS);
  const both: [AppProcess, AppProcess] = await Promise.all([AppProcess.start(env), AppProcess.start(env)]);
  await Promise.all(both.map((app) => app.waitReady()));
  return both;
}

/** As if they had been made long ago, and nobody had asked for them since. */
async function forgetAll(quoteIds: readonly string[]): Promise<void> {
  await stage.database.query(
    `UPDATE payment SET created_at = created_at - interval '1 hour' WHERE quote_id = ANY ($1)`,
    [quoteIds],
  );
  // Those that were polled already are not judged anew before their time, nor those of a poll that is under way.
  const judgeAnew = `UPDATE payment_schedule SET unchanged_until = NULL WHERE quote_id = ANY ($1)`;
  await classIs(quoteIds, 'unattended', () => stage.database.query(judgeAnew, [quoteIds]));
}

async function classIs(
  quoteIds: readonly string[],
  urgency: UrgencyName,
  beforeEach: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const SQL = `SELECT s.urgency FROM payment_schedule s JOIN payment p ON p.id = s.payment_id
    WHERE p.quote_id = ANY ($1) AND s.urgency <> $2`;
  const isSo = async (): Promise<boolean> => {
    if ((await stage.database.query(SQL, [quoteIds, urgency])).length === 0) return true;
    await beforeEach();
    return false;
  };
  await waitFor(isSo, {
    timeoutMs: 20_000,
    everyMs: 1_000,
    what: `${quoteIds.length} payments of class ${urgency}`,
  });
}

async function refresh(quoteId: string): Promise<number> {
  const answer = await apps[1].fetch(`/api/payments/${quoteId}/refresh`, { method: 'POST' });
  return answer.status;
}

/** Quotes made elsewhere, taken in by asking for their status; until the budget has one to spare for each. */
async function adopt(count: number): Promise<string[]> {
  const quoteIds = Array.from({ length: count }, () => stage.provider.addQuote());
  for (const quoteId of quoteIds) {
    await waitFor(async () => (await apps[0].fetch(`/api/status/${quoteId}`)).ok, { everyMs: 150 });
  }
  return quoteIds;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

beforeAll(async () => {
  stage = await Stage.open();
  requests = new StatusRequests(stage.provider);
  apps = await startTwo();
  inFlight = await stage.quotes(apps[0], 4);
  unattended = await stage.quotes(apps[1], 40);
  stage.say(inFlight, 'EXECUTING');
  await forgetAll(unattended);
  await classIs(inFlight, 'in_flight');
  const scaledBy = `SELECT 1 FROM interval_scale WHERE urgency = 'unattended' AND factor > 5`;
  await waitFor(async () => (await stage.database.query(scaledBy)).length > 0);
  settledAt = Date.now();
  void Promise.all(inFlight.map(refresh));
  const isOver = (): boolean => Date.now() > settledAt + 1.5 * ROUND_MS;
  await waitFor(isOver, { timeoutMs: 2 * ROUND_MS });
}, 90_000);

describe('a budget too short for every payment’s own interval', () => {
  it('is kept by two replicas with everything that asks for a status, in the minute and in each second of it', () => {
    for (const seconds of [1, 2, 5, 10, 20]) {
      const share = (MAX_RPM / 60) * (seconds + HELD_S);
      expect(requests.busiest(seconds * 1_000)).toBeLessThanOrEqual(share + BURST);
    }
    expect(requests.busiest(60_000)).toBeLessThanOrEqual(MAX_RPM);
  });

  it('has room for whoever waits for an answer: an id that was made elsewhere is found', async () => {
    const [adopted = ''] = await adopt(1);
    await waitFor(() => stage.provider.calls.polls(adopted).length > 1, { timeoutMs: 2 * ROUND_MS });
  });

  it('is used', () => {
    const seconds = (Date.now() - settledAt) / 1_000;
    expect(requests.count(settledAt)).toBeGreaterThan((MAX_RPM / 60) * seconds * 0.7);
  });

  it('is shared by both replicas', async () => {
    for (const app of apps) {
      const [, polls = '0'] =
        /^paybell_polls_total\{[^}]*unchanged[^}]*\} (\d+)/m.exec(await metricsOf(app)) ?? [];
      expect(Number(polls)).toBeGreaterThan(20);
    }
  });

  it('goes to money in flight first', () => {
    const pressing = average(inFlight.flatMap((id) => requests.gaps(id, settledAt)));
    const idle = average(unattended.flatMap((id) => requests.gaps(id)));
    expect(pressing).toBeLessThan(idle / 2);
  });

  it('leaves out nobody: each payment is polled within ten intervals', () => {
    expect(requests.isRound([...inFlight, ...unattended], settledAt)).toBe(true);
    for (const id of unattended) {
      const polls = [settledAt, ...stage.provider.calls.polls(id).filter((at) => at > settledAt)];
      const gaps = polls.slice(1).map((at, index) => at - (polls[index] ?? 0));
      expect(Math.max(...gaps)).toBeLessThan(ROUND_MS + INTERVAL_MS);
    }
  });

  it('never makes two polls of a payment come closer than the gap', () => {
    expect(requests.shortestGap(unattended)).toBeGreaterThanOrEqual(MIN_GAP_MS - ARRIVAL_MS);
  });

  it('polls a payment sooner for whoever asks for it', async () => {
    const waits = await Promise.all(unattended.slice(0, 4).map(hintedWait));
    expect(average(waits)).toBeLessThan(ROUND_MS / 2);
  });
});

async function metricsOf(app: AppProcess): Promise<string> {
  return (await app.fetch('/metrics')).text();
}

/** Somebody asks just after a poll: how long until the next one. */
async function hintedWait(quoteId: string): Promise<number> {
  const before = stage.provider.calls.polls(quoteId).length;
  const next = (): number | undefined => stage.provider.calls.polls(quoteId)[before];
  const polledAt = await waitFor(next, { timeoutMs: 2 * ROUND_MS });
  await jsonOf(await apps[0].fetch(`/api/status/${quoteId}`), 200);
  const after = (): number | undefined => stage.provider.calls.polls(quoteId)[before + 1];
  return (await waitFor(after, { timeoutMs: 2 * ROUND_MS })) - polledAt;
}

describe('a budget that nobody needs', () => {
  it('is there for the first who asks, however small it is and however many trackers wait', async () => {
    const idle = await Stage.open();
    const env = idle.env({ PROVIDER_MAX_RPM: '6' });
    const [one, other] = await Promise.all([idle.start(env), idle.start(env)]);
    const startedAt = Date.now();
    await waitFor(() => Date.now() > startedAt + 3_000);
    expect(idle.provider.calls.count('/api/status')).toBe(0);
    await jsonOf(await other.fetch(`/api/status/${idle.provider.addQuote()}`), 200);
    await Promise.all([one.stop(), other.stop()]);
  });
});
