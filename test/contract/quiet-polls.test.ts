import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { URGENCY, type UrgencyClass } from '../../src/domain/polling/urgency.ts';
import { applyPoll, keepsSchedule, changesNothing } from '../../src/features/polling/apply-poll.ts';
import type { PollRecorder } from '../../src/features/polling/poll-recorder.ts';
import type { Claim, Poll } from '../../src/ports/schedule.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { recorderOn } from '../support/poll-requests.ts';
import { POLLING, says } from '../support/poll-results.ts';
import { POLLING_STAGES, type PollingStage } from '../support/polling-stages.ts';
import { paymentToAdd, URGENCY_RULES } from '../support/stores.ts';

const INTERVAL_MS = URGENCY_RULES.pollIntervalMs;
const LEASE_MS = 5_100;

const AWAITING = says('AWAITING_DEPOSIT');

/** Polls that find the stored report, with the schedule in memory and in PostgreSQL. */
describe.each(POLLING_STAGES)('a quiet poll, with the schedule %s', (_name, open) => {
  let stage: PollingStage;

  beforeAll(async () => {
    stage = await open();
  });
  beforeEach(() => stage.clear());

  /** A payment after `POST /api/payments`: it has a report that no poll has judged. */
  async function adopted(urgency: UrgencyClass = URGENCY.attended): Promise<string> {
    const quoteId = randomUUID();
    await stage.one.payments.add(paymentToAdd(quoteId, { quoteText: null, report: AWAITING.report }));
    await stage.set(quoteId, { urgency, intervalMs: INTERVAL_MS, dueInMs: 0, polledAgoMs: INTERVAL_MS });
    return quoteId;
  }

  async function claims(limit = 1): Promise<readonly Claim[]> {
    const read = await stage.one.schedule.read(await stage.one.schedule.claimDue(limit, LEASE_MS));
    if (read.length === 0) throw new Error('nothing is due');
    return read;
  }

  async function polled(): Promise<Poll> {
    const [claim] = await claims();
    return applyPoll(claim as Claim, AWAITING, stage.now(), POLLING);
  }

  async function knownAtNextClaim(quoteId: string): Promise<string | null> {
    await stage.set(quoteId, { dueInMs: 0 });
    return (await claims())[0]?.knownDigest ?? null;
  }

  it('spares the next polls their judgement, and moves no due time', async () => {
    const quoteId = await adopted();
    const poll = await polled();
    expect(poll.claim).toMatchObject({ knownDigest: null, storedDigest: AWAITING.report.digest });
    expect(changesNothing(poll)).toBe(true);
    const before = await stage.row(quoteId);
    await stage.one.schedule.extendUnchanged([poll]);
    expect((await stage.row(quoteId))?.dueAtMs).toBe(before?.dueAtMs);
    expect(await knownAtNextClaim(quoteId)).toBe(AWAITING.report.digest);
  });

  it('moves the payment to its next class, and moves no due time', async () => {
    const quoteId = await adopted(URGENCY.unattended);
    const poll = await polled();
    expect([keepsSchedule(poll), changesNothing(poll)]).toEqual([true, false]);
    const before = await stage.row(quoteId);
    await stage.one.schedule.extendUnchanged([poll]);
    expect(await stage.row(quoteId)).toMatchObject({ urgency: URGENCY.attended, dueAtMs: before?.dueAtMs });
  });

  it('that waited for its commit until another decision would be made does not spare the next one', async () => {
    const quoteId = await adopted();
    const [claim] = await claims();
    const { attendedMs } = URGENCY_RULES;
    const hintedAt = new Date(stage.now().getTime() - attendedMs - 100);
    const judgedAt = new Date(stage.now().getTime() - 200);
    const poll = applyPoll({ ...(claim as Claim), hintedAt }, AWAITING, judgedAt, POLLING);
    expect(poll.next.urgency).toBe(URGENCY.attended);
    await stage.one.schedule.extendUnchanged([poll]);
    expect(await knownAtNextClaim(quoteId)).toBeNull();
  });

  it('whose claim was taken over is left out', async () => {
    const quoteId = await adopted(URGENCY.unattended);
    const late = await polled();
    await stage.set(quoteId, { dueInMs: 0 });
    await claims();
    await stage.one.schedule.extendUnchanged([late]);
    expect((await stage.row(quoteId))?.urgency).toBe(URGENCY.unattended);
    expect(await knownAtNextClaim(quoteId)).toBeNull();
  });

  it('does not outdo a hint that came while it was under way', async () => {
    const hinted = await adopted(URGENCY.unattended);
    const polls = (await claims()).map((claim) => {
      const poll = applyPoll(claim, AWAITING, stage.now(), POLLING);
      return { ...poll, next: { ...poll.next, urgency: URGENCY.watching } };
    });
    await stage.pass(10);
    await stage.one.schedule.hint([hinted], LEASE_MS);
    await stage.one.schedule.extendUnchanged(polls);
    expect((await stage.row(hinted))?.urgency).toBe(URGENCY.attended);
  });

  describe('at the recorder', () => {
    let reads: number;
    let recorder: PollRecorder;

    beforeEach(() => {
      reads = 0;
      const { schedule } = stage.one;
      const counted = Object.create(schedule, {
        read: { value: (asked: readonly Claim[]) => ((reads += 1), schedule.read(asked)) },
      });
      recorder = recorderOn(counted, { clock: { now: () => stage.now() } });
    });

    it('is judged together with those of the next milliseconds, and nobody waits for it', async () => {
      const quoteIds = [await adopted(), await adopted(), await adopted()];
      for (const claim of await claims(3)) {
        expect(await recorder.recordAnswer(claim, AWAITING)).toBe(true);
        expect(reads).toBe(0);
      }
      await recorder.drain(5_000);
      expect(reads).toBe(1);
      for (const quoteId of quoteIds) expect(await knownAtNextClaim(quoteId)).toBe(AWAITING.report.digest);
    });

    it('does not keep a change waiting', async () => {
      await adopted();
      const changed = await adopted();
      const [first, second] = await claims(2);
      const [quiet, moved] = first?.quoteId === changed ? [second, first] : [first, second];
      await recorder.recordAnswer(quiet as Claim, AWAITING);
      await recorder.recordAnswer(moved as Claim, says('EXECUTING'));
      expect(await stage.one.payments.find(changed)).toMatchObject({ status: 'EXECUTING' });
      expect(reads).toBe(1);
      await recorder.drain(5_000);
      await waitFor(() => reads === 2);
    });
  });
});
