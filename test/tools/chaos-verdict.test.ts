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

const UPDATED = event(4, 'updated', { status: 'COMPLETED', report: REPORTS[1] });
const SEEN = [{ at: 1, quoteId: 'q', text: '' }];
const FOREIGN = [CREATED, { ...RECEIVED, report: '{}' }, COMPLETED];
const STALLED = event(4, 'stalled', { status: 'COMPLETED', reason: 'no_progress' });

describe('the verdict of the chaos', () => {
  it.each<[what: string, told: Told, counted: Partial<Record<Count, number>>]>([
    ['every event once and in order', {}, {}],
    ['an event that a shop got again', { shop: [CREATED, RECEIVED, CREATED, RECEIVED, COMPLETED] }, {}],
    ['an event that a consumer lacks', { shop: [CREATED, COMPLETED] }, { lost: 1 }],
    ['an event that the log lacks, and a consumer has', { shop: [...WHOLE, UPDATED] }, { lost: 1 }],
    ['a step without an event', { log: [CREATED, { ...COMPLETED, sequence: 2 }] }, { lost: 1 }],
    [
      'a payment that was answered and is not there',
      { log: [], more: { stored: new Map() } },
      { lost: 3, 'wrong final states': 2 },
    ],
    [
      'a number that was given twice, of which the log has one',
      { shop: [CREATED, { ...CREATED, id: 'other' }, RECEIVED, COMPLETED] },
      { lost: 1, doubled: 1 },
    ],
    [
      'other content under one id',
      { shop: [CREATED, { ...RECEIVED, late: true }, COMPLETED] },
      { doubled: 1 },
    ],
    ['a meaning told twice', { log: [...WHOLE, { ...COMPLETED, id: 'again', sequence: 4 }] }, { doubled: 1 }],
    ['what the feed gave twice', { feed: [CREATED, CREATED, RECEIVED, COMPLETED] }, { doubled: 1 }],
    ['a second quote for one key', { more: { twoQuotes: SEEN } }, { doubled: 1 }],
    ['a first arrival after a later one', { shop: [CREATED, COMPLETED, RECEIVED] }, { reordered: 1 }],
    ['a missing number', { log: [CREATED, RECEIVED, { ...COMPLETED, sequence: 4 }] }, { gaps: 1 }],
    ['a jump', { log: [CREATED, RECEIVED, { ...COMPLETED, previousSequence: 2 }] }, { gaps: 1 }],
    ['a wrong stored status', { more: { stored: new Map([['q', 'EXPIRED']]) } }, { 'wrong final states': 1 }],
    ['a wrong last event', { log: [CREATED, RECEIVED] }, { lost: 1, 'wrong final states': 1 }],
    ['a report that the provider never gave', { log: FOREIGN }, { 'unexplained events': 1 }],
    [
      'a report that the provider makes by itself',
      { log: FOREIGN, more: { played: [{ quoteId: 'q', story: STORY, answers: null }] } },
      {},
    ],
    ['a stall', { log: [...WHOLE, STALLED] }, { 'unexplained events': 1 }],
    ['a refused webhook', { more: { refused: SEEN } }, { 'webhooks refused by signature': 1 }],
    ['close polls', { more: { tooClose: SEEN } }, { 'polls closer than the gap': 1 }],
    ['too many requests', { more: { tooMany: SEEN } }, { 'requests above the rate limit': 1 }],
    ['a replica that ended', { more: { ended: SEEN } }, { 'replicas that ended by themselves': 1 }],
  ])('counts %s', (_what, told, counted) => {
    expect(breaches(told)).toEqual(counted);
  });
});
