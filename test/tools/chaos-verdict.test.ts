import { describe, expect, it } from '@jest/globals';

import type { ArrivedEvent, Consumer } from '../../tools/chaos/ledger.ts';
import type { Story } from '../../tools/chaos/stories.ts';
import { COUNTS, judge, type Count, type Evidence } from '../../tools/chaos/verdict.ts';

const STORY: Story = {
  name: 'short',
  isPatient: true,
  flakiness: 0,
  steps: [
    { status: 'AWAITING_DEPOSIT', event: 'created', more: {}, forMs: 0 },
    { status: 'DEPOSIT_RECEIVED', event: 'deposit_received', more: {}, forMs: 0 },
    { status: 'COMPLETED', event: 'completed', more: {}, forMs: 0 },
  ],
};
const REPORTS = ['{"status":"DEPOSIT_RECEIVED"}', '{"status":"COMPLETED"}'] as const;

function event(sequence: number, type: string, more: Partial<ArrivedEvent> = {}): ArrivedEvent {
  return {
    id: `e${sequence}`,
    quoteId: 'q',
    type: `payment.${type}`,
    sequence,
    status: 'AWAITING_DEPOSIT',
    previousStatus: null,
    previousSequence: null,
    late: false,
    reason: null,
    report: null,
    verification: null,
    ...more,
  };
}

const CREATED = event(1, 'created');
const RECEIVED = event(2, 'deposit_received', { status: 'DEPOSIT_RECEIVED', report: REPORTS[0] });
const COMPLETED = event(3, 'completed', { status: 'COMPLETED', report: REPORTS[1] });
const WHOLE = [CREATED, RECEIVED, COMPLETED];

interface Told {
  readonly log?: readonly ArrivedEvent[];
  readonly shop?: readonly ArrivedEvent[];
  readonly feed?: readonly ArrivedEvent[];
  readonly more?: Partial<Evidence>;
}

/** How many breaches of each kind there are, where there are some. */
function breaches({ log = WHOLE, shop = log, feed = log, more = {} }: Told): Partial<Record<Count, number>> {
  const arrived = (events: readonly ArrivedEvent[]) =>
    events.map((each, at) => ({ at: at + 1, event: each }));
  const verdict = judge({
    played: [{ quoteId: 'q', story: STORY, answers: REPORTS.map((text) => ({ text })) }],
    arrivals: new Map<Consumer, ReturnType<typeof arrived>>([
      ['shop', arrived(shop)],
      ['feed', arrived(feed)],
    ]),
    log,
    stored: new Map([['q', 'COMPLETED']]),
    refused: [],
    tooClose: [],
    tooMany: [],
    twoQuotes: [],
    ended: [],
    proof: null,
    ...more,
  });
  const counted = COUNTS.map((name) => [name, verdict[name].length] as const);
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}

describe('the verdict of the chaos', () => {
  it('finds nothing where every event came once and in order', () => {
    expect(breaches({})).toEqual({});
  });

  it('finds nothing wrong with an event that a shop got again', () => {
    expect(breaches({ shop: [CREATED, RECEIVED, CREATED, RECEIVED, COMPLETED] })).toEqual({});
  });

  it('counts an event as lost that a consumer lacks', () => {
    expect(breaches({ shop: [CREATED, COMPLETED] })).toEqual({ lost: 1 });
  });

  it('counts an event as lost that the log lacks though a consumer has it', () => {
    const updated = event(4, 'updated', { status: 'COMPLETED', report: REPORTS[1] });
    expect(breaches({ shop: [...WHOLE, updated] })).toEqual({ lost: 1 });
  });

  it('counts a step as lost for which there is no event', () => {
    const log = [CREATED, { ...COMPLETED, sequence: 2 }];
    expect(breaches({ log })).toEqual({ lost: 1 });
  });

  it('counts a payment as lost that was answered and is not there', () => {
    const stored = new Map<string, string>();
    expect(breaches({ log: [], more: { stored } })).toEqual({ lost: 3, 'wrong final states': 2 });
  });

  it('counts a number that was given twice', () => {
    expect(breaches({ shop: [CREATED, { ...CREATED, id: 'other' }, RECEIVED, COMPLETED] })).toEqual({
      // The other one is not in the log either.
      lost: 1,
      doubled: 1,
    });
  });

  it('counts other content under one id', () => {
    expect(breaches({ shop: [CREATED, { ...RECEIVED, late: true }, COMPLETED] })).toEqual({ doubled: 1 });
  });

  it('counts a meaning that was told twice', () => {
    expect(breaches({ log: [...WHOLE, { ...COMPLETED, id: 'again', sequence: 4 }] })).toEqual({ doubled: 1 });
  });

  it('counts what the feed gave twice', () => {
    expect(breaches({ feed: [CREATED, CREATED, RECEIVED, COMPLETED] })).toEqual({ doubled: 1 });
  });

  it('counts a second quote for one key', () => {
    const twoQuotes = [{ at: 1, quoteId: 'q', text: 'two' }];
    expect(breaches({ more: { twoQuotes } })).toEqual({ doubled: 1 });
  });

  it('counts a first arrival that comes after a later one', () => {
    expect(breaches({ shop: [CREATED, COMPLETED, RECEIVED] })).toEqual({ reordered: 1 });
  });

  it('counts a missing number, and a jump', () => {
    expect(breaches({ log: [CREATED, RECEIVED, { ...COMPLETED, sequence: 4 }] })).toEqual({ gaps: 1 });
    expect(breaches({ log: [CREATED, RECEIVED, { ...COMPLETED, previousSequence: 2 }] })).toEqual({
      gaps: 1,
    });
  });

  it('counts a wrong stored status and a wrong last event', () => {
    expect(breaches({ more: { stored: new Map([['q', 'EXPIRED']]) } })).toEqual({ 'wrong final states': 1 });
    expect(breaches({ log: [CREATED, RECEIVED] })).toEqual({ lost: 1, 'wrong final states': 1 });
  });

  it('counts a report that the provider never gave, and a stall', () => {
    expect(breaches({ log: [CREATED, { ...RECEIVED, report: '{}' }, COMPLETED] })).toEqual({
      'unexplained events': 1,
    });
    const own = { played: [{ quoteId: 'q', story: STORY, answers: null }] };
    expect(breaches({ log: [CREATED, { ...RECEIVED, report: '{}' }, COMPLETED], more: own })).toEqual({});
    const stalled = event(4, 'stalled', { status: 'COMPLETED', reason: 'no_progress' });
    expect(breaches({ log: [...WHOLE, stalled] })).toEqual({ 'unexplained events': 1 });
  });

  it.each([
    ['refused', 'webhooks refused by signature'],
    ['tooClose', 'polls closer than the gap'],
    ['tooMany', 'requests above the rate limit'],
    ['ended', 'replicas that ended by themselves'],
  ] as const)('passes on what was seen as it happened: %s', (name, count) => {
    const seen = [{ at: 1, quoteId: 'q', text: '' }];
    expect(breaches({ more: { [name]: seen } })).toEqual({ [count]: 1 });
  });
});
