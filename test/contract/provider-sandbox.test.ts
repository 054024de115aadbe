import { describe, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';

import { Database } from '../../src/database/connection/database.ts';
import { SandboxProvider, type SandboxOptions } from '../../src/providers/sandbox/sandbox-provider.ts';
import { NATIVE_ADDRESS } from '../../src/providers/sandbox/sandbox-tokens.ts';
import type { QuoteRequest } from '../../src/domain/payment/quote.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { type StatusAnswer } from '../../src/ports/payment-provider.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { Queries } from '../../src/ports/queries.ts';
import { openDataSource } from '../support/data-source.ts';
import { openReplicas } from '../support/replicas.ts';
import { StandingClock } from '../support/oneclick-world.ts';
import { databaseOn } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const REQUEST: QuoteRequest = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: NATIVE_ADDRESS,
  toToken: NATIVE_ADDRESS,
  amount: '1.5',
  recipient: `0x${'12'.repeat(20)}`,
};

const { db: database, one } = await openReplicas();
const queries = one.database;

describe('the sandbox on a real PostgreSQL', () => {
  it('goes on after a restart, also with another speed, and says the same on every replica', async () => {
    const clock = new StandingClock();
    const { quoteId } = await sandbox({}, clock).createQuote(REQUEST);
    clock.pass(21);
    const restarted = sandbox({ speed: 50, autopay: false }, clock);
    expect(await statusOf(restarted, quoteId)).toBe('DEPOSIT_RECEIVED');
    clock.pass(5);
    const replica = new SandboxProvider(databaseOn(await openDataSource(database)), optionsOf({}), clock);
    const [mine, theirs] = [await read(restarted, [quoteId]), await read(replica, [quoteId])];
    expect(theirs).toEqual(mine);
    expect(await statusOf(replica, quoteId)).toBe('EXECUTING');
    clock.pass(10);
    expect(await statusOf(restarted, quoteId)).toBe('COMPLETED');
  });

  it('takes a deposit by hand once: a second one changes nothing', async () => {
    const clock = new StandingClock();
    const provider = sandbox({ autopay: false }, clock);
    const { quoteId } = await provider.createQuote(REQUEST);
    clock.pass(100);
    const first = await provider.deposit(quoteId);
    expect(first).toMatchObject({ quoteId, status: 'DEPOSIT_RECEIVED', deposit: { amount: '1.5' } });
    clock.pass(3);
    expect(await sandbox({ autopay: false }, clock).deposit(quoteId)).toEqual(first);
    clock.pass(12);
    expect(await provider.deposit(quoteId)).toMatchObject({ status: 'COMPLETED' });
    for (const id of ['unknown', 'nul\u0000'])
      await expect(provider.deposit(id)).rejects.toMatchObject({ httpStatus: 404 });
  });

  it('plays the story of metadata.story, whatever the amount, and refuses a name that it has not', async () => {
    const clock = new StandingClock();
    const amount = '1.01';
    const { quoteId, text } = await sandbox({}, clock).createQuote({ ...REQUEST, amount }, 'memo');
    const { send, depositNote } = JSON.parse(text) as {
      send: { depositMemo: string };
      depositNote: string;
    };
    expect(send.depositMemo).toMatch(/^\d+$/);
    expect(depositNote).toContain(`exactly 1.01 ETH on Base with the memo ${send.depositMemo}, within`);
    clock.pass(100);
    for (let polls = 0; polls < 3; polls += 1) {
      await read(sandbox({}, clock), [quoteId]);
      clock.pass(100);
    }
    expect(await statusOf(sandbox({}, clock), quoteId)).toBe('COMPLETED');
    await expect(sandbox().createQuote(REQUEST, 'overpayed')).rejects.toMatchObject({
      httpStatus: 400,
      field: 'metadata.story',
      message: expect.stringMatching(/^metadata\.story must be one of plain, .*, overpaid, /),
    });
    await expect(sandbox().createQuote(REQUEST)).resolves.toMatchObject({ expiresIn: 300 });
  });

  it('sees a deposit that it does not see by itself once it is told of it, and only one that was made', async () => {
    const clock = new StandingClock();
    const provider = sandbox({ autopay: false }, clock);
    const { quoteId } = await provider.createQuote(REQUEST, 'unseen_deposit');
    const seen: (string | null)[] = [];
    const look = async (): Promise<unknown> => seen.push(await statusOf(provider, quoteId));
    expect(await provider.submitDeposit(quoteId, '0x5a')).toBe(true);
    await look();
    await provider.deposit(quoteId);
    clock.pass(310);
    await look();
    await provider.submitDeposit(quoteId, '0x5a');
    await look();
    await provider.submitDeposit(quoteId, '0x5a');
    clock.pass(10);
    await look();
    expect(seen).toEqual(['AWAITING_DEPOSIT', 'EXPIRED', 'DEPOSIT_RECEIVED', 'EXECUTING']);
  });

  it('answers the deposit by hand also while the story plays an outage towards those who poll', async () => {
    const clock = new StandingClock();
    const provider = sandbox({}, clock);
    const { quoteId } = await provider.createQuote({ ...REQUEST, amount: '1.08' });
    for (const seconds of [20, 5, 15]) {
      clock.pass(seconds);
      await read(provider, [quoteId]);
    }
    const answers = await read(provider, [quoteId]);
    expect(answers.get(quoteId)).toEqual({
      kind: 'unavailable',
      reason: 'HTTP 500',
      retryAfterMs: null,
      httpStatus: 500,
    });
    expect(await provider.deposit(quoteId)).toMatchObject({ status: 'EXECUTING' });
  });

  it('passes over no stage, however late it is asked and whichever replica asks', async () => {
    const clock = new StandingClock();
    const replicas = [sandbox({}, clock), sandbox({ speed: 50 }, clock)];
    const { quoteId } = await sandbox({}, clock).createQuote({ ...REQUEST, amount: '1.07' });
    const seen = [];
    for (let polls = 0; polls < 7; polls += 1) {
      for (const replica of replicas) seen.push(await statusOf(replica, quoteId));
      clock.pass(1_000);
    }
    const steps = ['AWAITING_DEPOSIT', 'DEPOSIT_RECEIVED', 'EXECUTING', 'DEPOSIT_RECEIVED', 'EXECUTING'];
    expect(seen).toEqual([...steps, 'COMPLETED', 'COMPLETED'].flatMap((status) => [status, status]));
  });

  it('reports a stage again until its report is recorded, and waits for no record', async () => {
    const clock = new StandingClock();
    const provider = sandbox({}, clock);
    const { quoteId } = await provider.createQuote(REQUEST);
    clock.pass(100);
    const outcomes: (() => unknown)[] = [
      () => Promise.resolve(false),
      () => Promise.reject(new Error('dropped')),
      () => new Promise(() => undefined),
      () => Promise.resolve(true),
    ];
    for (const recorded of outcomes) {
      const published: (string | null)[] = [];
      await provider.readStatuses([quoteId], (_id, answer) => {
        published.push(answer.kind === 'report' ? answer.report.status : null);
        return recorded();
      });
      expect(published).toEqual(['DEPOSIT_RECEIVED']);
      clock.pass(100);
    }
    await waitFor(async () => (await statusOf(provider, quoteId)) === 'EXECUTING');
  });

  it('counts a stage from its first report', async () => {
    const clock = new StandingClock();
    const { quoteId } = await sandbox({}, clock).createQuote(REQUEST);
    clock.pass(100);
    const reportedAt = clock.now();
    await read(sandbox({}, clock), [quoteId]);
    clock.pass(4.9);
    expect(await statusOf(sandbox({}, clock), quoteId)).toBe('DEPOSIT_RECEIVED');
    clock.pass(0.1);
    const answer = (await read(sandbox({}, clock), [quoteId])).get(quoteId);
    const { execution } = JSON.parse(answer?.kind === 'report' ? answer.report.text : '{}') as {
      execution: unknown;
    };
    expect(execution).toMatchObject({
      startedAt: Math.floor(reportedAt.getTime() / 1000) + 5,
      completedAt: null,
    });
  });

  it('lets a quote from before stages were kept go by time alone', async () => {
    const clock = new StandingClock();
    const { quoteId } = await sandbox({}, clock).createQuote({ ...REQUEST, amount: '1.07' });
    await database.query('UPDATE sandbox_payment SET reported_stages = NULL WHERE quote_id = $1', [quoteId]);
    clock.pass(1_000);
    expect(await statusOf(sandbox({}, clock), quoteId)).toBe('COMPLETED');
  });

  it('reads a batch with one statement, an unknown id among them harming none', async () => {
    const provider = sandbox();
    const quotes = await Promise.all(Array.from({ length: 20 }, () => provider.createQuote(REQUEST)));
    const ids = [...quotes.map(({ quoteId }) => quoteId), 'unknown', 'nul\u0000'];
    const counted = new Counting();
    const answers = await read(new SandboxProvider(counted, optionsOf({}), new StandingClock()), ids);
    expect(counted.count).toBe(1);
    expect([...answers.keys()]).toEqual(ids);
    const kinds = [...answers.values()].map(({ kind }) => kind);
    expect(kinds).toEqual([...quotes.map(() => 'report'), 'refused', 'refused']);
  });
});

describe('the sandbox without its database', () => {
  it('says so before the schema is current', async () => {
    const asleep = new Database(await openDataSource(database));
    await expectUnavailable(new SandboxProvider(asleep, optionsOf({}), new StandingClock()));
  });

  it('says so within its time-out when the database neither answers nor hangs up', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      const silent = {
        options: {},
        createQueryRunner: () => ({ query: () => new Promise(() => undefined) }),
      };
      const frozen = databaseOn(silent as unknown as DataSource);
      const provider = new SandboxProvider(frozen, optionsOf({}), new StandingClock());
      const answers = read(provider, ['some-id']);
      await jest.advanceTimersByTimeAsync(provider.limits.timeoutMs);
      expect((await answers).get('some-id')).toMatchObject({ kind: 'unavailable', reason: 'database' });
    } finally {
      jest.useRealTimers();
    }
  });

  it('does not hide a faulty schema from the caller that makes a quote', async () => {
    const broken = { query: () => Promise.reject(new Error('column is missing')) };
    const provider = new SandboxProvider(broken, optionsOf({}), new StandingClock());
    await expect(provider.createQuote(REQUEST)).rejects.toThrow('column is missing');
  });
});

async function expectUnavailable(provider: SandboxProvider): Promise<void> {
  await expect(provider.createQuote(REQUEST)).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(provider.deposit('some-id')).rejects.toBeInstanceOf(StoreUnavailable);
  const answers = await read(provider, ['some-id']);
  expect(answers.get('some-id')).toEqual({
    kind: 'unavailable',
    reason: 'database',
    retryAfterMs: null,
    httpStatus: null,
  });
}

function optionsOf(options: Partial<SandboxOptions>): SandboxOptions {
  return { speed: 1, autopay: true, maxRpm: 0, ...options };
}

function sandbox(options: Partial<SandboxOptions> = {}, clock: Clock = new StandingClock()): SandboxProvider {
  return new SandboxProvider(queries, optionsOf(options), clock);
}

async function read(provider: SandboxProvider, ids: string[]): Promise<Map<string, StatusAnswer>> {
  const answers = new Map<string, StatusAnswer>();
  await provider.readStatuses(ids, (id, answer) => answers.set(id, answer));
  return answers;
}

async function statusOf(provider: SandboxProvider, quoteId: string): Promise<string | null> {
  const answer = (await read(provider, [quoteId])).get(quoteId);
  return answer?.kind === 'report' ? answer.report.status : null;
}

/** Counts the statements that it passes on. */
class Counting extends Queries {
  count = 0;

  query<Row>(...statement: Parameters<Queries['query']>): Promise<Row[]> {
    this.count += 1;
    return queries.query<Row>(...statement);
  }
}
