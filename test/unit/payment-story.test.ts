import { beforeAll, describe, expect, it } from '@jest/globals';

import { STORIES_ON_CHAIN } from '../../src/providers/sandbox/stories.ts';
import { eventWords, type WordedEvent } from '../../src/domain/story/event-words.ts';
import { fits } from '../../src/domain/story/row.ts';
import { CHAPTERS, SENTENCES } from '../../src/domain/story/sentences.ts';
import { tellingOf, type Standing } from '../../src/domain/story/standing.ts';
import type { SaidEvent, SaidPayment, Story } from '../../src/domain/story/story.ts';
import { tellPayment } from '../../src/domain/story/tell-payment.ts';
import { NEEDS, TO_DO } from '../../src/domain/story/to-do.ts';
import type { SaidDelivery } from '../../src/domain/story/untold-events.ts';
import { readToldStories, type StoryEvent } from '../../tools/testkit/told-story.ts';
import { QUOTE, reachablePayments, storyOf } from '../support/reachable-payments.ts';

const CREATED = '2026-11-20T12:00:00.000Z';
const EXPIRES = '2026-11-20T12:05:00.000Z';
const NOW = Date.parse('2026-11-20T12:06:00.000Z');
const EXCHANGE = 'RabbitMQ (exchange payments)';
const NOBODY = '00000000-0000-0000-0000-000000000000';
/** An event of this time may still be told. */
const LATELY = '2026-12-01T00:00:00.000Z';

const DELIVERED: SaidDelivery = {
  endpointId: 'eu',
  type: 'payment.created',
  sequence: 1,
  state: 'delivered',
  attemptCount: 1,
  nextAttemptAt: null,
  lastFailure: null,
  lastHttpStatus: 204,
  waitingFor: null,
};
const REFUSED: SaidDelivery = {
  ...DELIVERED,
  state: 'pending',
  attemptCount: 3,
  lastHttpStatus: 503,
  lastFailure: 'status',
  nextAttemptAt: '2026-11-20T12:06:48.000Z',
  waitingFor: 'retry',
};
const UNTRIED: SaidDelivery = {
  ...REFUSED,
  attemptCount: 0,
  lastFailure: null,
  lastHttpStatus: null,
  nextAttemptAt: null,
  waitingFor: null,
};
const PUBLISHED: SaidDelivery = { ...DELIVERED, endpointId: 'rabbitmq', lastHttpStatus: null };
const SHOP = new Map([['eu', 'shop EU']]);
const BOTH = new Map([
  ['eu', 'shop EU'],
  ['us', 'shop US'],
]);
const WITH_EXCHANGE = new Map([['rabbitmq', EXCHANGE], ...SHOP]);

function told(payment: Partial<SaidPayment>, story: Partial<Omit<Story, 'payment'>> = {}): string {
  const { story: words, toDo } = tellPayment({
    payment: {
      status: 'AWAITING_DEPOSIT',
      late: false,
      tracking: 'active',
      createdAt: CREATED,
      expiresAt: EXPIRES,
      quote: QUOTE,
      report: null,
      ...payment,
    },
    events: [],
    deliveries: [],
    alsoPaidBy: [],
    destinations: SHOP,
    now: NOW,
    clock: (instant) => instant.slice(11, 19),
    ...story,
  });
  return toDo === null ? words : `${words} To do: ${toDo}`;
}

const event = (type: string, reason?: string, at = CREATED): SaidEvent => ({
  type: `payment.${type}`,
  time: at,
  data: reason === undefined ? {} : { reason },
});

const COMPLETED = { status: 'COMPLETED', report: {} };
const paidAt = (time: string) => Date.parse(`2026-11-20T${time}.000Z`) / 1_000;

describe('the story of a payment: its money', () => {
  const late = { ...COMPLETED, late: true, tracking: 'closed' };

  it.each<[Partial<SaidPayment>, readonly SaidEvent[], string]>([
    [
      { expiresAt: '2026-11-20T12:07:00.000Z' },
      [],
      'Waits for 1,000.00 USDC on Base; the quote expires in 1 min.',
    ],
    [
      { status: 'EXPIRED', tracking: 'watching' },
      [],
      'No deposit of 1,000.00 USDC was seen within 5 min; still watched for a late deposit.',
    ],
    [
      {
        status: 'DEPOSIT_RECEIVED',
        report: { deposit: { token: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' } },
        amounts: { send: { asked: '1000', came: '1000' }, match: 'exact' },
      },
      [],
      'Paid 1,000.00 USDC; the provider has not begun the swap yet.',
    ],
    [
      {
        status: 'EXPIRED',
        tracking: 'closed',
        amounts: { send: { asked: '1000', came: '5' }, match: 'underpaid' },
      },
      [],
      'Paid 5.00 USDC instead of 1,000.00 USDC, and the provider let it expire. To do: Ask the provider where the deposit is.',
    ],
    [
      {
        status: 'FAILED',
        report: { error: 'no route', deposit: { token: 'DAI' } },
        amounts: { send: { asked: '1000', came: null }, match: 'unknown' },
      },
      [],
      'Paid in another token. Failed: no route. The provider reports no refund.',
    ],
    [
      {
        status: 'FAILED',
        report: { error: 'no route', deposit: { txHash: '0x1' } },
        amounts: { send: { asked: '1000', came: null }, match: 'unknown' },
      },
      [],
      'Paid a sum that the provider does not name. Failed: no route. The provider reports no refund.',
    ],
    [
      {
        status: 'FAILED',
        report: { error: 'UNDERPAID: 5 came instead of 1000 USDC, and was delivered.' },
        amounts: { send: { asked: '1000', came: '5' }, match: 'underpaid' },
      },
      [],
      'Paid 5.00 USDC instead of 1,000.00 USDC; the provider delivered it, and UNDERPAID=fail makes it a failure.',
    ],
    [
      { status: 'FAILED', report: { error: 'output below the minimum' } },
      [],
      'Failed: output below the minimum.',
    ],
    [
      { status: 'DEPOSIT_RECEIVED', report: { deposit: { heldForReview: true } } },
      [],
      'Paid 1,000.00 USDC; the provider holds it for a review.',
    ],
    [
      { quote: { send: { ...QUOTE.send, depositMemo: '12345' } }, expiresAt: null },
      [],
      'Waits for 1,000.00 USDC on Base with the memo 12345.',
    ],
    [{ status: 'REFUNDING' }, [], 'The provider says REFUNDING.'],
    [
      { quote: null },
      [],
      "Waits for the deposit; the quote's time is over, and the provider has not said so yet.",
    ],
    [
      { ...late, report: { deposit: { detectedAt: paidAt('12:05:12') } } },
      [event('expired')],
      'Paid 1,000.00 USDC, 12 s after the quote had expired, and completed. To do: Settle the order with the buyer.',
    ],
    [
      { ...late, status: 'EXECUTING', report: { deposit: { detectedAt: paidAt('12:05:12') } } },
      [event('expired')],
      'Paid 1,000.00 USDC, 12 s after the quote had expired; the swap to USDC on Solana is under way. To do: Ask the buyer whether the order still stands: the payment may complete.',
    ],
    [
      { ...late, report: { deposit: { detectedAt: paidAt('12:00:20') } } },
      [event('expired')],
      'Paid 1,000.00 USDC in time, reported after the quote had expired, and completed. To do: Settle the order with the buyer.',
    ],
    [
      late,
      [event('failed')],
      'Paid 1,000.00 USDC and completed after it had failed. To do: Settle the order with the buyer.',
    ],
    [
      { ...COMPLETED, report: { execution: { completedAt: paidAt('12:00:00') } } },
      [],
      'Paid 1,000.00 USDC and completed.',
    ],
    [
      { ...COMPLETED, amounts: { send: { asked: '1000.00', came: null }, match: 'unknown' } },
      [],
      'Paid a sum that the provider does not name and completed.',
    ],
  ])('%j, %j: %s', (payment, events, words) => {
    expect(told(payment, { events })).toBe(words);
  });
});

describe('the story of a payment: its receivers', () => {
  const later = ['deposit_received', 'executing', 'completed'].map((type, index): SaidDelivery => ({
    ...UNTRIED,
    type: `payment.${type}`,
    sequence: index + 2,
    waitingFor: 'earlier_event',
  }));
  const [, , end] = later as [SaidDelivery, SaidDelivery, SaidDelivery];
  const refused = {
    ...REFUSED,
    attemptCount: 11,
    lastHttpStatus: 500,
    lastAnswer: 'out of\nstock',
    createdAt: CREATED,
  };
  const refusedEnd = { ...refused, type: end.type, sequence: 4, attemptCount: 7 };
  const refusedLater = later.slice(0, 2).map((one) => ({ ...one, attemptCount: 5, waitingFor: 'retry' }));
  const down = { ...UNTRIED, endpointId: 'us', waitingFor: 'circuit' };

  it.each<[string, readonly SaidDelivery[], ReadonlyMap<string, string> | null, string]>([
    [
      'all know',
      [{ ...DELIVERED, attemptCount: 3 }],
      SHOP,
      'The shop knows: it acknowledged at the third try.',
    ],
    ['both know', [DELIVERED, { ...DELIVERED, endpointId: 'us' }], BOTH, 'All 2 destinations know.'],
    ['RabbitMQ knows', [PUBLISHED], WITH_EXCHANGE, `${EXCHANGE} has all of its events.`],
    [
      'refused',
      [REFUSED],
      SHOP,
      'shop EU refused payment.created 3 times: 503; next try in 48 s. To do: Look into the log of shop EU; the event is sent again by itself.',
    ],
    [
      'those alone are behind that wait for an earlier event',
      [refused, ...later],
      SHOP,
      'shop EU refused payment.created 11 times since 12:00:00: 500, “out of stock”; next try in 48 s. payment.completed and 2 more wait behind it. To do: Look into the log of shop EU; the event is sent again by itself.',
    ],
    [
      'after the patience, the end of the payment is named first',
      [{ ...refused, nextAttemptAt: '2026-11-20T12:25:00.000Z' }, ...refusedLater, refusedEnd],
      SHOP,
      'shop EU refused payment.completed 7 times since 12:00:00: 500, “out of stock”, and 3 earlier ones; next try in 48 s. To do: Look into the log of shop EU; the event is sent again by itself.',
    ],
    [
      'given up',
      [{ ...refused, state: 'failed', waitingFor: null }],
      SHOP,
      'shop EU refused payment.created 11 times since 12:00:00: 500, “out of stock”; given up. To do: Send it again once shop EU works.',
    ],
    [
      'one that answers comes before one that is down',
      [down, REFUSED],
      BOTH,
      'shop EU refused payment.created 3 times: 503; next try in 48 s. shop US is down too. To do: Look into the log of shop EU; the event is sent again by itself.',
    ],
    [
      'down',
      [DELIVERED, down],
      BOTH,
      'shop US was not sent payment.created yet: it is down, and only probes go to it. To do: See why shop US is down; what waits is sent once a probe succeeds.',
    ],
    [
      'the broker is away',
      [{ ...UNTRIED, endpointId: 'rabbitmq', waitingFor: 'broker' }, DELIVERED],
      WITH_EXCHANGE,
      `${EXCHANGE} was not sent payment.created yet: it cannot be reached. To do: See why ${EXCHANGE} cannot be reached; what waits is published once it can.`,
    ],
    [
      'a queue is full',
      [{ ...PUBLISHED, state: 'pending', attemptCount: 6, lastFailure: 'nack', waitingFor: 'retry' }],
      WITH_EXCHANGE,
      `${EXCHANGE} has not taken payment.created: refused by the broker (nack), 6 times. To do: Look at the queues that are bound to the exchange; the event is published again by itself.`,
    ],
    [
      'disabled then',
      [
        { ...UNTRIED, state: 'discarded' },
        { ...end, state: 'discarded', waitingFor: null },
      ],
      SHOP,
      'shop EU was not sent payment.created and 1 more: it was disabled then. To do: Send it again to shop EU, once it is enabled.',
    ],
    [
      'disabled',
      [{ ...UNTRIED, waitingFor: 'disabled_endpoint' }],
      SHOP,
      'shop EU was not sent payment.created: it is disabled. To do: Enable shop EU: what waits is then sent.',
    ],
    [
      'unreadable secret',
      [{ ...UNTRIED, waitingFor: 'secret_unreadable' }],
      SHOP,
      'shop EU was not sent payment.created: its secret cannot be decrypted. To do: Rotate the secret of shop EU, or give Paybell the key back that encrypted it.',
    ],
    [
      'no answer',
      [{ ...REFUSED, lastHttpStatus: null, lastFailure: 'timeout' }],
      SHOP,
      'shop EU has not taken payment.created: no answer in time, 3 times; next try in 48 s. To do: See why shop EU does not answer; the event is sent again by itself.',
    ],
    ['being told', [{ ...UNTRIED, createdAt: LATELY }], SHOP, 'shop EU is being informed.'],
    [
      'not told for longer than destinations may take',
      [UNTRIED],
      SHOP,
      'shop EU is being informed. To do: See whether a replica with the role dispatcher runs.',
    ],
    [
      'no receiver then',
      [{ ...UNTRIED, endpointId: NOBODY, state: 'discarded' }],
      SHOP,
      'Nobody was told: there was no receiver then. To do: Recover the endpoint from a time before this payment.',
    ],
    [
      'no receiver for the first event, and one since',
      [
        { ...UNTRIED, endpointId: NOBODY, state: 'discarded' },
        { ...DELIVERED, type: 'payment.executing', sequence: 2 },
      ],
      SHOP,
      'Nobody was told of payment.created: there was no receiver then. To do: Recover the endpoint from a time before this payment.',
    ],
    [
      'a deleted receiver',
      [{ ...UNTRIED, endpointId: 'deleted', state: 'discarded' }],
      SHOP,
      'Nobody was told: the endpoint that was to get it is deleted. To do: Recover the endpoint from a time before this payment.',
    ],
    [
      'a deleted receiver, of an event that another one has',
      [{ ...UNTRIED, endpointId: 'deleted', state: 'discarded' }, DELIVERED],
      SHOP,
      'The shop knows.',
    ],
    [
      'no destination',
      [{ ...UNTRIED, endpointId: NOBODY, state: 'discarded' }],
      new Map(),
      'Nobody is told: no endpoint is set up, and RabbitMQ is off. To do: Add an endpoint, and recover it from a time before this payment.',
    ],
    ['none any more', [], new Map(), 'Nobody is told: no endpoint is set up, and RabbitMQ is off.'],
    ['a role that may not see them', [], null, ''],
  ])('%s', (_case, deliveries, destinations, words) => {
    const start = 'Paid 1,000.00 USDC and completed.';
    expect(told(COMPLETED, { deliveries, destinations })).toBe(`${start} ${words}`.trim());
  });

  it.each([
    ['released', ' To do: Look into the log of shop EU; the event is sent again by itself.'],
    ['refunded', ' Resolved by ops: refunded.'],
  ])(
    'need a person for a completion that one has %s as for any other, but for none that is settled',
    (reason, words) => {
      const resolution = { reason, note: null, by: 'ops', at: CREATED };
      const story = told({ ...COMPLETED, resolution }, { deliveries: [REFUSED] });
      expect(story.endsWith(`; next try in 48 s.${words}`)).toBe(true);
    },
  );

  it('held back, were told to wait by the event that says so', () => {
    const held = { status: 'EXECUTING', verification: { state: 'contradicted' }, report: {} };
    const wait = {
      ...event('anomaly', 'output_reverted'),
      data: { reason: 'output_reverted', verification: { state: 'contradicted' } },
    };
    const sent = { ...DELIVERED, type: 'payment.anomaly' };
    const words = (deliveries: readonly SaidDelivery[], destinations = SHOP) =>
      /Held back.*(?= To do)/.exec(told(held, { events: [wait], deliveries, destinations }))?.[0];
    expect(words([sent])).toBe('Held back; the shop was told to wait (payment.anomaly).');
    expect(words([sent, { ...sent, endpointId: 'us' }], BOTH)).toBe(
      'Held back; all 2 destinations were told to wait (payment.anomaly).',
    );
    expect(words([DELIVERED])).toBe('Held back; no destination gets payment.anomaly.');
    expect(words([{ ...REFUSED, type: 'payment.anomaly' }])).toBe(
      'Held back. shop EU refused payment.anomaly 3 times: 503; next try in 48 s.',
    );
  });
});

type ToldEvent = StoryEvent & {
  data: {
    payment: { status: string } | null;
    amounts?: SaidPayment['amounts'];
    verification?: NonNullable<SaidPayment['verification']>;
  };
};

const HELD = 'Paid 25.50 USDC; the provider reports completion.';
const DANGER =
  'Held back. To do: Hand nothing out before you know more: ask the provider where the money is.';
/** The sentence at the end of each story of the sandbox, without receivers. */
const ENDS: Readonly<Record<string, string>> = {
  plain: 'Paid 25.50 USDC and completed, 35 s after the quote.',
  skips_ahead: 'Paid 25.50 USDC and completed, 35 s after the quote.',
  silence: 'Paid 25.50 USDC and completed, 16 min after the quote.',
  unseen_deposit:
    'Paid 25.50 USDC, 1 min after the quote had expired, and completed. To do: Settle the order with the buyer.',
  deposit_after_completed:
    'Paid 51.00 USDC instead of 25.50 USDC and completed, 35 s after the quote. To do: Give back what is too much.',
  fails:
    'Paid 25.50 USDC. Failed: The delivery of USDC on Arbitrum reverted: output below the minimum. The provider reports no refund.',
  goes_back:
    'Paid 25.50 USDC and completed, 1 min 10 s after the quote. The provider contradicted itself: a report went back to an earlier status, and was not taken over. To do: Ask the provider which report holds, and resolve the payment.',
  held_for_review: 'Paid 25.50 USDC and completed, 16 min after the quote.',
  keeps_executing: 'Paid 25.50 USDC and completed, 1 h after the quote.',
  late: 'Paid 25.50 USDC, 1 min after the quote had expired, and completed. To do: Settle the order with the buyer.',
  late_refund:
    'Paid 25.50 USDC, 1 min after the quote had expired. Refunded: 25.5 USDC went back to the payer on Base: it came after the expiry. To do: Tell the buyer that the deposit went back.',
  memo: 'Paid 25.50 USDC and completed, 35 s after the quote.',
  other_address:
    'Paid 25.50 USDC and completed, 1 min 10 s after the quote. A report named another deposit address, and was not taken over. To do: Ask the provider which report holds, and resolve the payment.',
  outage: 'Paid 25.50 USDC and completed, 1 min 55 s after the quote.',
  overpaid:
    'Paid 38.25 USDC instead of 25.50 USDC and completed, 35 s after the quote. To do: Give back what is too much.',
  partly_refunded:
    'Paid 25.50 USDC and completed, 35 s after the quote. Only a part was delivered, the rest went back. To do: Settle the difference.',
  refund_after_success:
    'Paid 25.50 USDC and completed, 35 s after the quote. The provider took the completion back, or changed it. To do: Ask the provider where the money is.',
  refunded: 'Paid 25.50 USDC. Refunded: 25.5 USDC went back to the payer on Base: the price moved too far.',
  two_deposits: 'Paid 25.50 USDC and completed, 45 s after the quote.',
  underpaid:
    'Paid 10.20 USDC instead of 25.50 USDC and completed, 35 s after the quote. To do: Ask the payer for the rest, or settle the payment otherwise.',
  underpaid_refunded:
    'Paid 10.20 USDC instead of 25.50 USDC. Refunded: 10.2 USDC went back to the payer on Base: too little came.',
  unknown_status:
    'Paid 25.50 USDC and completed, 55 s after the quote. A report had a status that Paybell does not know, and was not taken over. To do: Ask the provider which report holds, and resolve the payment.',
  unpaid: 'No deposit of 25.50 USDC was seen within 5 min; still watched for a late deposit.',
  wrong_token:
    'Paid in another token, and the provider let it expire; still watched. To do: Ask the provider to send it back.',
  amount_short: `${HELD} The output transaction 0x73616e64…a1108ae5 in block 13,975,217 pays less than the quote promised. ${DANGER}`,
  deposit_unseen_by_provider:
    'Paid 25.50 USDC in time, reported after the quote had expired, and completed. The chain has proven it. To do: Settle the order with the buyer.',
  double_spent: `${HELD} Another transaction spends the coins of the output transaction 0x73616e64…a1108ae5, which cannot come any more. ${DANGER}`,
  other_recipient: `${HELD} The output transaction 0x73616e64…a1108ae5 in block 13,975,217 pays another recipient. ${DANGER}`,
  other_token: `${HELD} The output transaction 0x73616e64…a1108ae5 in block 13,975,217 pays another token than the quote promised. ${DANGER}`,
  output_missing: `${HELD} The output transaction 0x73616e64…a1108ae5 in block 13,975,217 does not show the promised transfer. ${DANGER}`,
  output_reorged:
    'Paid 25.50 USDC and completed, 1 min 12 s after the quote. The chain took back the block of the output transaction 0x73616e64…a1108ae5. To do: Hand nothing out before you know more: ask the provider where the money is.',
  output_reverted: `${HELD} The output transaction 0x73616e64…a1108ae5 failed in block 13,975,217. ${DANGER}`,
  output_used_before: `${HELD} The output transaction 0x73616e64…a1108ae5 in block 13,975,217 belongs to another payment. ${DANGER}`,
  proven_late: 'Paid 25.50 USDC and completed, 6 min 12 s after the quote. The chain has proven it.',
  unverified: `${HELD} No chain has proven it in time. Held back. To do: Look at the answers of the RPCs, or release the payment once you have seen the money.`,
};

describe('the story of a payment of the sandbox', () => {
  const endOf = (events: readonly ToldEvent[]): string => {
    const last = events.at(-1)?.data;
    const reported = events.findLast(({ data }) => data.payment?.status === data.status)?.data;
    const amounts = reported?.amounts ?? null;
    const status = last?.status ?? '';
    const quote = { ...QUOTE, send: { ...QUOTE.send, amount: '25.5' } };
    const verification = events.findLast(({ data }) => data.verification)?.data.verification ?? null;
    const stalls = events.some(({ data }) => data.reason === 'unverified') ? ['unverified'] : [];
    const about = {
      status,
      verification,
      stalls,
      late: last?.late ?? false,
      tracking: 'watching',
      quote,
      amounts,
    };
    return told({ ...about, report: reported?.payment ?? null }, { events, destinations: null });
  };

  it.each([...readToldStories(), ...readToldStories('require')])('is true of $name', ({ name, events }) => {
    expect(endOf(events as readonly ToldEvent[])).toBe(ENDS[name]);
  });

  it('names STORIES_ON_CHAIN', () => {
    expect(STORIES_ON_CHAIN.every((name) => name in ENDS)).toBe(true);
  });
});

/** Two sentences that cannot both be true. */
const EXCLUSIVE: readonly (readonly [RegExp, RegExp])[] = [
  [/is under way/, /Nothing has moved|says nothing usable|reports completion|output transaction/],
  [/No deposit .* was seen/, /The chain shows a deposit/],
  [/ completed\b/, /Held back|has not begun|Waits for/],
  [/Failed|Refunded/, / completed\b/],
  [/Waits for|deposit of .* was seen|saw no deposit/, /\bPaid\b/],
  [/The chain has proven it/, /No chain has proven|still to come|output transaction/],
  [/No chain has proven/, /output transaction|still to come/],
  [/reports completion/, /was seen|has not confirmed/],
  [
    /(?:The shop knows|destinations know|has all of its events)/,
    /refused|has not taken|was not sent|being informed|Nobody/,
  ],
  [/was told to wait|were told to wait/, /refused|has not taken|was not sent|being informed|Nobody/],
  [/took the completion back/, /Held back|is under way/],
  [/Resolved by/, /To do/],
  [/reports no refund/, /went back|reports completion/],
];

/** A thing that one sentence is enough for. */
const REPEATED: readonly RegExp[] = [
  /in another token|token than the quote asks for/g,
  /No chain has proven|by the word of the provider/g,
  /Failed|Refunded/g,
  /went back(?! to an earlier)/g,
  /is being informed|Nobody/g,
];

/** A sentence begins with a capital, or with the name of a destination. */
const WELL_FORMED =
  /^(?:(?:[A-Z]|shop )[^.!?]*(?:\.\d[^.!?]*|\.(?:created|completed|anomaly|stalled|executing|updated)[^.!?]*)*[.](?: |$))+$/;

/** The deliveries because of which destinations lack or know the events. */
const RECEIVERS: Readonly<Record<string, Pick<Story, 'deliveries' | 'destinations'>>> = {
  hidden: { deliveries: [], destinations: null },
  unset: { deliveries: [{ ...UNTRIED, endpointId: NOBODY, state: 'discarded' }], destinations: new Map() },
  nobody: { deliveries: [{ ...UNTRIED, endpointId: NOBODY, state: 'discarded' }], destinations: SHOP },
  no_event: { deliveries: [], destinations: SHOP },
  all: { deliveries: [DELIVERED], destinations: SHOP },
  refused: { deliveries: [REFUSED], destinations: SHOP },
  given_up: { deliveries: [{ ...REFUSED, state: 'failed', waitingFor: null }], destinations: SHOP },
  no_answer: { deliveries: [{ ...REFUSED, lastHttpStatus: null, lastFailure: 'dns' }], destinations: SHOP },
  down: { deliveries: [{ ...UNTRIED, waitingFor: 'circuit' }], destinations: SHOP },
  away: {
    deliveries: [{ ...UNTRIED, endpointId: 'rabbitmq', waitingFor: 'broker' }],
    destinations: WITH_EXCHANGE,
  },
  not_sent: { deliveries: [{ ...UNTRIED, state: 'discarded' }], destinations: SHOP },
  disabled: { deliveries: [{ ...UNTRIED, waitingFor: 'disabled_endpoint' }], destinations: SHOP },
  unreadable: { deliveries: [{ ...UNTRIED, waitingFor: 'secret_unreadable' }], destinations: SHOP },
  under_way: { deliveries: [{ ...UNTRIED, createdAt: LATELY }], destinations: SHOP },
};

/** The sentence about receivers does not depend on oddities: the test reads it beside each oddity in only a few states. */
function receiversBeside({ oddities }: Standing): Pick<Story, 'deliveries' | 'destinations'>[] {
  const named = oddities.length === 0 ? Object.keys(RECEIVERS) : ['hidden', 'all', 'refused'];
  return named.flatMap((name) => RECEIVERS[name] ?? []);
}

describe('the story of every payment that the rules let come about, for every state of its receivers', () => {
  let all: { story: Story; standing: Standing; words: string }[];

  beforeAll(() => {
    all = reachablePayments().flatMap(({ reached, standing }) =>
      receiversBeside(standing).map((receivers) => {
        const story = { ...storyOf(reached), ...receivers };
        const { story: words, toDo } = tellPayment(story);
        const { standing } = tellingOf(story);
        return { story, standing, words: toDo === null ? words : `${words} To do: ${toDo}` };
      }),
    );
  });

  it('has a sentence for its money', () => {
    const silent = all.filter(({ words }) => words === '' || words.startsWith('The provider says '));
    expect(silent).toEqual([]);
    expect(all.length).toBeGreaterThan(1_000);
  });

  it('is told in whole sentences', () => {
    const odd = all
      .map(({ words }) => words.replace('To do: ', ''))
      .filter((words) => !WELL_FORMED.test(words));
    expect([...new Set(odd)].slice(0, 5)).toEqual([]);
  });

  it('has no two sentences that contradict each other', () => {
    const odd = all.flatMap(({ words }) =>
      EXCLUSIVE.filter(([one, other]) => one.test(words) && other.test(words)).map(() => words),
    );
    expect([...new Set(odd)].slice(0, 5)).toEqual([]);
  });

  it('says no sentence twice', () => {
    const stories = [...new Set(all.map(({ words }) => words.split(' To do: ')[0] ?? ''))];
    const odd = stories.filter((story) => REPEATED.some((of) => (story.match(of) ?? []).length > 1));
    expect(odd.slice(0, 5)).toEqual([]);
  });

  it('uses every row of the table but the one of unknown statuses', () => {
    const rows = [
      ...CHAPTERS.map((chapter) => SENTENCES[chapter]),
      ...NEEDS.map((need) => TO_DO[need]),
    ].flat();
    const unused = rows.filter(({ when }) => !all.some(({ standing }) => fits(when, standing)));
    expect(unused.map(({ when }) => when)).toEqual([{ isPaidTwice: [true] }, { isPaidTwice: [true] }]);
  });
});

describe('the words of payment.updated', () => {
  const REPORT = { status: 'EXECUTING', deposit: { amount: '5', txHash: null }, gas: { usd: '1' } };
  const updated = (data: Partial<WordedEvent['data']>, sequence = 2): WordedEvent => ({
    type: 'payment.updated',
    data: { orderId: 'A-17', metadata: null, sequence, payment: REPORT, ...data },
  });

  it.each<[Partial<WordedEvent['data']>, string]>([
    [
      { payment: { ...REPORT, deposit: { amount: '5', txHash: '0xa' } } },
      'The deposit transaction was reported',
    ],
    [
      { payment: { ...REPORT, deposit: { amount: '6', txHash: '0xa' }, gas: { usd: '2' } } },
      'The deposit transaction was reported, and the deposited amount changed',
    ],
    [
      { payment: { ...REPORT, execution: { outputTxHash: '0xb', steps: [{ id: 'swap' }] } } },
      'The output transaction was reported, and a step of the execution was reported',
    ],
    [{ payment: { ...REPORT, gas: { usd: '2' } } }, 'The gas changed'],
    [{ payment: { ...REPORT, error: 'slow' } }, 'An error was reported'],
    [{ payment: { ...REPORT, note: 'x' } }, 'The report changed: note'],
    [{ orderId: 'A-18' }, 'The order A-18 was named'],
    [{ orderId: 'A-18', previousOrderId: 'A-17' }, 'The order was changed from A-17 to A-18'],
    [{ metadata: { shop: 'eu' } }, 'The metadata were set'],
    [{ resolution: { reason: 'refunded', note: null, by: 'ops' } }, 'Resolved by ops: Refunded'],
    [{ resolution: null }, 'The resolution was taken back'],
    [
      { verification: { state: 'pending' } },
      'The provider reports the completion, which waits for its proof on chain',
    ],
    [{ previousSequence: 1 }, 'Told again: the database went back'],
  ])('with %j say what changed: %s', (data, words) => {
    const refused = {
      ...updated({ payment: { status: 'FAILED' }, reason: 'went_back' }),
      type: 'payment.anomaly',
    };
    const fresh = updated(data, 3);
    expect(eventWords(fresh, [updated({}, 1), refused, fresh], QUOTE)).toBe(words);
  });
});

describe('the story of a payment: a deposit of another token before the one that counts', () => {
  const odd = {
    ...event('anomaly'),
    data: { reason: 'deposit_unseen_by_provider', deposit: { wrongToken: true } },
  };
  const kept =
    'The chain shows a deposit of another token than the quote asks for. The shop knows. To do: Ask the provider to send it back.';

  it.each([
    ['is told while the provider does not name it', [odd], kept],
    ['is told by the provider', [odd, event('anomaly', 'other_token_received')], 'Settle the difference.'],
  ])('%s', (_what, events, words) => {
    expect(told(COMPLETED, { events, deliveries: [DELIVERED] })).toContain(words);
  });
});

describe('the story of a payment whose order was paid more than once', () => {
  const ordered = { ...COMPLETED, orderId: 'A-17' };
  const toDo = 'To do: Give back what is too much, and resolve that payment as a duplicate.';
  const named = (alsoPaidBy: readonly string[], payment: Partial<SaidPayment> = ordered): string =>
    told(payment, { deliveries: [DELIVERED], alsoPaidBy });

  it('names the others, and says what to do', () => {
    expect(named(['q-2'])).toBe(
      `Paid 1,000.00 USDC and completed. The order A-17 was paid twice: the payment q-2 completed too. The shop knows. ${toDo}`,
    );
    expect(named(['q-2', 'q-3'])).toContain('was paid 3 times: the payments q-2 and q-3 completed too.');
    expect(named(['q-2', 'q-3', 'q-4', 'q-5'])).toContain(
      'payments q-2, q-3, q-4 and 1 other completed too.',
    );
  });

  it('says so until it is a duplicate, however else a person has resolved it', () => {
    const resolution = { reason: 'refunded', note: null, by: 'ops', at: CREATED };
    expect(named(['q-2'], { ...ordered, resolution })).toContain(`Resolved by ops: refunded. ${toDo}`);
  });
});

describe('the story of a completion that no chain has proven', () => {
  const unproven = (checks: readonly { name: string; detail: string }[], ageMs: number): string => {
    const completed = new Date(NOW - ageMs).toISOString();
    const reported = {
      ...event('completed', undefined, completed),
      data: { verification: { state: 'pending' } },
    };
    return told(
      { ...COMPLETED, verification: { state: 'unverified', checks } },
      { events: [reported], deliveries: [DELIVERED] },
    );
  };
  const asked = [{ name: 'receipt', detail: 'The transaction is not there.' }];
  const words = 'Paid 1,000.00 USDC and completed. No chain has proven it. The shop knows.';

  it('says what to do for a day, if an RPC was asked', () => {
    expect(unproven(asked, 3_600_000)).toBe(
      `${words} To do: Look at the answers of the RPCs, and see whether the recipient has the money.`,
    );
    expect(unproven(asked, 86_400_000)).toBe(words);
    expect(unproven([], 3_600_000)).toBe(words);
  });
});
