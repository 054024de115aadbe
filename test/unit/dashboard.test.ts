import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { DIGITS_OF_STORY, STORIES_ON_CHAIN } from '../../src/providers/sandbox/stories.ts';
import { readToldStories, type StoryEvent } from '../../tools/testkit/told-story.ts';
import { grouped, money, total } from '../../web/src/format/amount.ts';
import { explorerUrl, shortened } from '../../web/src/format/chains.ts';
import { differencesOf } from '../../web/src/format/differences.ts';
import { indented, memberText, parseExactly } from '../../web/src/format/json.ts';
import { ago, duration, took, until, utcTime } from '../../web/src/format/time.ts';
import { parseSearch, stringifySearch } from '../../web/src/format/search-params.ts';
import { mayUse, refusalFor } from '../../web/src/access/roles.ts';
import { receiversOf } from '../../web/src/screens/delivery/receivers.ts';
import { ACTIONS } from '../../web/src/screens/access/action-words.ts';
import { readPaymentsSearch } from '../../web/src/screens/payments/payments-search.ts';
import { sayOrder } from '../../web/src/payment-facts/say-order.ts';
import { sayPayment, type SaidPayment, type Story } from '../../web/src/payment-facts/say-payment.ts';
import { SHELVES } from '../../web/src/screens/sandbox/stories.ts';
import type { SaidDelivery } from '../../web/src/payment-facts/say-untold.ts';
import { ROLES } from '../../src/domain/access/role.ts';
import { ACCESS } from '../../src/platform/http/access.ts';

type ToldEvent = StoryEvent & {
  data: {
    payment: { status: string } | null;
    amounts?: SaidPayment['amounts'];
    verification?: { state: string };
  };
};

const CREATED = '2026-11-20T12:00:00.000Z';
const EXPIRES = '2026-11-20T12:05:00.000Z';
const NOW = Date.parse('2026-11-20T12:06:00.000Z');
const QUOTE = {
  send: { amount: '1000.00', token: { symbol: 'USDC' }, chain: { id: 8453, name: 'Base' } },
  receive: { estimatedAmount: '999.12', token: { symbol: 'USDC' }, chain: { id: 792703809, name: 'Solana' } },
};
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
const FAILING: SaidDelivery = {
  ...DELIVERED,
  state: 'pending',
  attemptCount: 3,
  lastHttpStatus: 503,
  lastFailure: 'status',
  nextAttemptAt: '2026-11-20T12:06:48.000Z',
  waitingFor: 'retry',
};

function said(payment: Partial<Story['payment']>, story: Partial<Omit<Story, 'payment'>> = {}): string {
  return sayPayment({
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
    destinations: new Map([['eu', 'shop-eu']]),
    now: NOW,
    ...story,
  });
}

describe('the sentence about a payment', () => {
  const paidAt = Date.parse('2026-11-20T12:05:12.000Z') / 1_000;
  const late = {
    status: 'COMPLETED',
    late: true,
    tracking: 'closed',
    report: { deposit: { amount: '1000.00', detectedAt: paidAt }, execution: { completedAt: paidAt + 20 } },
  };

  it('tells of a late deposit, and at which try the shop acknowledged', () => {
    expect(said(late, { deliveries: [{ ...DELIVERED, attemptCount: 3 }] })).toBe(
      'Paid 1,000.00 USDC, 12 s after the quote had expired, and completed. The shop knows: it acknowledged at the third try.',
    );
  });

  it('tells why the shop does not know yet, and when the next try is', () => {
    expect(said({ status: 'COMPLETED', report: {} }, { deliveries: [DELIVERED, FAILING] })).toBe(
      'Paid 1,000.00 USDC and completed. shop-eu refused payment.created 3 times: 503; next try in 48 s.',
    );
  });

  it('names the endpoint that does not know, where there are several', () => {
    const endpoints = new Map([
      ['eu', 'shop-eu'],
      ['us', 'shop-us'],
    ]);
    const held = {
      ...FAILING,
      endpointId: 'us',
      attemptCount: 0,
      nextAttemptAt: null,
      waitingFor: 'circuit',
    };
    expect(said({ status: 'EXECUTING' }, { destinations: endpoints, deliveries: [DELIVERED, held] })).toBe(
      'Paid 1,000.00 USDC; the swap to USDC on Solana is under way. shop-us was not sent payment.created yet: it is down, and only probes go to it.',
    );
    expect(
      said(
        { status: 'EXECUTING' },
        { destinations: endpoints, deliveries: [DELIVERED, { ...DELIVERED, endpointId: 'us' }] },
      ),
    ).toMatch(/All 2 destinations know\.$/);
  });

  it('names who refused what, why, since when, and what waits behind it, before an endpoint that is down', () => {
    const endpoints = new Map([
      ['accounting', 'accounting'],
      ['eu', 'shop EU'],
    ]);
    const refused = {
      ...FAILING,
      attemptCount: 11,
      lastHttpStatus: 500,
      nextAttemptAt: null,
      lastAnswer: 'out of\nstock',
    };
    const untried = {
      ...FAILING,
      attemptCount: 0,
      lastFailure: null,
      lastHttpStatus: null,
      nextAttemptAt: null,
    };
    const behind = ['deposit_received', 'executing', 'completed'].map((type, index) => ({
      ...untried,
      type: `payment.${type}`,
      sequence: index + 2,
      waitingFor: 'earlier_event',
    }));
    const down = { ...untried, endpointId: 'accounting', waitingFor: 'circuit' };
    const story = { destinations: endpoints, deliveries: [down, refused, ...behind] };
    expect(said({ status: 'COMPLETED', report: {} }, story)).toBe(
      'Paid 1,000.00 USDC and completed. shop EU refused payment.created 11 times: 500, “out of stock”. ' +
        'payment.completed and 2 more wait behind it. accounting is down too.',
    );
    const silent = { ...down, attemptCount: 2, lastFailure: 'refused' };
    expect(said({ report: {} }, { ...story, deliveries: [silent, refused] })).toMatch(
      /shop EU refused .* accounting is down too\.$/,
    );
    expect(said({ report: {} }, { ...story, deliveries: [{ ...refused, createdAt: CREATED }] })).toMatch(
      /11 times since \d\d:\d\d:\d\d: 500/,
    );
    expect(said({ report: {} }, { ...story, deliveries: [{ ...refused, state: 'failed' }] })).toMatch(
      /500, “out of stock”; given up\.$/,
    );
  });

  it.each([
    [
      { expiresAt: '2026-11-20T12:07:00.000Z' },
      'Waits for 1,000.00 USDC on Base; the quote expires in 1 min.',
    ],
    [
      { status: 'EXPIRED', tracking: 'watching' },
      'No deposit of 1,000.00 USDC was seen within 5 min; still watched for a late deposit.',
    ],
    [
      { status: 'FAILED', report: { error: 'output below the minimum' } },
      'Failed: output below the minimum.',
    ],
    [
      { status: 'FAILED', report: { error: 'underpaid', deposit: { amount: '999.00' } } },
      'Failed: underpaid.',
    ],
    [
      { status: 'DEPOSIT_RECEIVED', report: { deposit: { heldForReview: true } } },
      'Paid 1,000.00 USDC; the provider holds it for a review.',
    ],
    [
      { quote: { send: { ...QUOTE.send, depositMemo: '12345' } }, expiresAt: null },
      'Waits for 1,000.00 USDC on Base with the memo 12345.',
    ],
    [{ status: 'REFUNDING' }, 'The provider says REFUNDING.'],
    [
      { quote: null },
      "Waits for the deposit; the quote's time is over, and the provider has not said so yet.",
    ],
  ])('says %j as: %s', (payment, sentence) => {
    expect(said(payment)).toBe(sentence);
  });

  it('says that there is no endpoint where there is none, and nothing of shops to a role that may not see them', () => {
    expect(said({}, { destinations: new Map() })).toMatch(
      /Nobody is told: no endpoint is set up, and RabbitMQ is off\.$/,
    );
    expect(said({}, { destinations: null })).toMatch(/said so yet\.$/);
  });

  it('counts RabbitMQ as a destination like any other, and says that its broker is away', () => {
    const destinations = new Map([
      ['rabbitmq', 'RabbitMQ, exchange payments'],
      ['eu', 'shop-eu'],
    ]);
    const published = { ...DELIVERED, endpointId: 'rabbitmq', lastHttpStatus: null };
    expect(said({}, { destinations, deliveries: [published, DELIVERED] })).toMatch(
      /All 2 destinations know\.$/,
    );
    expect(said({}, { destinations, deliveries: [published] })).toMatch(
      /RabbitMQ, exchange payments has all of its events\.$/,
    );
    const untried = {
      ...published,
      state: 'pending',
      attemptCount: 0,
      nextAttemptAt: null,
      waitingFor: 'broker',
    };
    expect(said({}, { destinations, deliveries: [untried, DELIVERED] })).toMatch(
      /RabbitMQ, exchange payments was not sent payment\.created yet: it cannot be reached\.$/,
    );
    const nacked = { ...untried, attemptCount: 6, lastFailure: 'nack', waitingFor: 'retry' };
    expect(said({}, { destinations, deliveries: [nacked, DELIVERED] })).toMatch(
      /RabbitMQ, exchange payments did not take payment\.created: refused by the broker \(nack\), 6 times\.$/,
    );
  });

  it('says that nobody was told where there was no receiver', () => {
    const nobody = { ...DELIVERED, endpointId: '00000000-0000-0000-0000-000000000000', state: 'discarded' };
    expect(said({}, { deliveries: [nobody] })).toMatch(/Nobody was told: there was no receiver then\.$/);
  });

  it('tells of a stall, and of a contradiction', () => {
    const event = (type: string, reason: string) => ({ type, time: CREATED, data: { reason } });
    const stalled = { status: 'EXECUTING', report: {} };
    const later = { ...event('payment.stalled', 'no_progress'), time: '2026-11-20T12:05:59.000Z' };
    expect(said(stalled, { events: [event('payment.executing', ''), later] })).toContain(
      'Nothing has moved for 6 min',
    );
    expect(said(stalled, { events: [event('payment.stalled', 'provider_silent')] })).toContain(
      'The provider says nothing usable about it any more.',
    );
    expect(said(stalled, { events: [event('payment.anomaly', 'went_back')] })).toContain(
      'contradicted itself',
    );
    for (const [wrongToken, words] of [
      [false, 'show it the transaction'],
      [true, 'another token than the quote asks for'],
    ] as const) {
      const anomaly = event('payment.anomaly', 'deposit_unseen_by_provider');
      const unseen = { ...anomaly, data: { ...anomaly.data, deposit: { wrongToken } } };
      expect(said(stalled, { events: [unseen] })).toContain(words);
    }
  });
});

const CONTRADICTED =
  'Paid 25.50 USDC; the provider reports the delivery of USDC on Solana. The chain shows otherwise: hand nothing out before you know more.';
/** At the end of each story of the sandbox. */
const ENDS: Readonly<Record<string, string>> = {
  plain: 'Paid 25.50 USDC and completed, 35 s after the quote.',
  fails: 'Failed: The delivery of USDC on Arbitrum reverted: output below the minimum.',
  unpaid: 'No deposit of 25.50 USDC was seen within 5 min; still watched for a late deposit.',
  late: 'Paid 25.50 USDC, 1 min after the quote had expired, and completed.',
  keeps_executing: 'Paid 25.50 USDC and completed, 1 h after the quote.',
  skips_ahead: 'Paid 25.50 USDC and completed, 35 s after the quote.',
  unknown_status:
    'Paid 25.50 USDC and completed, 55 s after the quote. A report had a status that Paybell does not know; the stored status stood.',
  goes_back:
    'Paid 25.50 USDC and completed, 1 min 10 s after the quote. The provider contradicted itself; the stored status stands.',
  outage: 'Paid 25.50 USDC and completed, 1 min 55 s after the quote.',
  refunded: 'Refunded: 25.5 USDC went back to the payer on Base: the price moved too far.',
  partly_refunded:
    'Paid 25.50 USDC and completed, 35 s after the quote. A part of the deposit went back to the payer.',
  underpaid: 'Paid 10.20 USDC instead of 25.50 USDC and completed, 35 s after the quote.',
  underpaid_refunded: 'Refunded: 10.2 USDC went back to the payer on Base: too little came.',
  overpaid: 'Paid 38.25 USDC instead of 25.50 USDC and completed, 35 s after the quote.',
  two_deposits: 'Paid 25.50 USDC and completed, 45 s after the quote.',
  deposit_after_completed: 'Paid 51.00 USDC instead of 25.50 USDC and completed, 35 s after the quote.',
  refund_after_success:
    'Paid 25.50 USDC and completed, 35 s after the quote. The provider took the completion back, or changed it: ask where the money is.',
  unseen_deposit: 'Paid 25.50 USDC, 1 min after the quote had expired, and completed.',
  wrong_token:
    'No deposit of 25.50 USDC was seen within 5 min; still watched for a late deposit. The payer sent another token than the quote asks for.',
  late_refund: 'Refunded: 25.5 USDC went back to the payer on Base: it came after the expiry.',
  memo: 'Paid 25.50 USDC and completed, 35 s after the quote.',
  other_address:
    'Paid 25.50 USDC and completed, 1 min 10 s after the quote. A report named another deposit address, and was not taken over.',
  silence: 'Paid 25.50 USDC and completed, 16 min after the quote.',
  held_for_review: 'Paid 25.50 USDC and completed, 16 min after the quote.',
  ...Object.fromEntries(STORIES_ON_CHAIN.map((story) => [story, CONTRADICTED])),
  output_reorged:
    'Paid 25.50 USDC and completed, 1 min 12 s after the quote. The chain shows otherwise: hand nothing out before you know more.',
  proven_late: 'Paid 25.50 USDC and completed, 6 min 12 s after the quote.',
  unverified:
    'Paid 25.50 USDC; the provider reports the delivery of USDC on Solana. It waits for its proof on chain. No chain has proven it in time: look at what the RPCs answer.',
  deposit_unseen_by_provider: 'Paid 25.50 USDC late and completed.',
};

describe('the sentence about a payment of the sandbox', () => {
  const sentenceOf = (events: readonly ToldEvent[]): string => {
    const last = events.at(-1)?.data;
    const reported = events.findLast(({ data }) => data.payment?.status === data.status)?.data;
    const amounts = reported?.amounts ?? null;
    const status = last?.status ?? '';
    const quote = { ...QUOTE, send: { ...QUOTE.send, amount: '25.5' } };
    const verification = events.findLast(({ data }) => data.verification)?.data.verification ?? null;
    const about = { status, verification, late: last?.late ?? false, tracking: 'watching', quote, amounts };
    return said({ ...about, report: reported?.payment ?? null }, { events });
  };

  it.each([...readToldStories(), ...readToldStories('require')])('is true of $name', ({ name, events }) => {
    expect(sentenceOf(events as readonly ToldEvent[])).toBe(ENDS[name]);
  });

  it('may be made on the page of the sandbox, each by its digits', () => {
    const endings = SHELVES.flatMap(({ stories }) => stories.map(({ ending }) => ending));
    expect(endings).toEqual([...DIGITS_OF_STORY.values()]);
  });
});

describe('an amount', () => {
  it('is grouped by thousands, and keeps every digit', () => {
    expect(grouped('1234567.000000000000000001')).toBe('1,234,567.000000000000000001');
    expect(grouped('-1000')).toBe('-1,000');
    expect(grouped('0.10')).toBe('0.10');
    expect(grouped('about 3')).toBe('about 3');
    expect(money('19.90', 'USDC')).toBe('19.90 USDC');
  });

  it('of money has two digits after the point or more', () => {
    expect(money('430.2', 'USDC')).toBe('430.20 USDC');
    expect(money('3', null)).toBe('3.00');
    expect(money('0.000001', 'ETH')).toBe('0.000001 ETH');
    expect(money('much', 'ETH')).toBe('much ETH');
  });
});

describe('a total', () => {
  it('is exact, or at least so many, and nothing where none was counted in time', () => {
    expect(total({ count: 1, isMore: false }, 'payment')).toBe('1 payment');
    expect(total({ count: 1_590, isMore: false }, 'delivery', 'deliveries')).toBe('1,590 deliveries');
    expect(total({ count: 10_000, isMore: true }, 'payment')).toBe('10,000 or more payments');
    expect(total({ count: 0, isMore: true }, 'payment')).toBeNull();
  });
});

describe('JSON', () => {
  const text =
    '{"a":1.10,"event":{"b":[],"c":"}\\""},"n":123456789012345678901234567890,"r":9007199254740993,"i":42}';

  it('is parsed without losing a digit of a number', () => {
    expect(parseExactly(text)).toEqual({
      a: '1.10',
      event: { b: [], c: '}"' },
      n: '123456789012345678901234567890',
      r: '9007199254740993',
      i: 42,
    });
  });

  it('is indented without changing a value', () => {
    expect(indented(text).replaceAll(/\n */g, '').replaceAll('": ', '":')).toBe(text);
    expect(indented('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  });

  it('gives up the exact text of a member', () => {
    expect(memberText(text, 'event')).toBe('{"b":[],"c":"}\\""}');
    expect(memberText(text, 'i')).toBe('42');
    expect(memberText(text, 'b')).toBeNull();
  });
});

describe('the differences of two reports', () => {
  it('are their changed, new and missing fields by path', () => {
    const before = { status: 'EXECUTING', gas: { usd: '1' }, steps: [{ id: 'swap' }] };
    const after = { status: 'COMPLETED', steps: [{ id: 'swap', txHash: '0x1' }], error: null };
    expect(differencesOf(before, after)).toEqual([
      { path: 'status', before: 'EXECUTING', after: 'COMPLETED' },
      { path: 'steps.0.txHash', before: null, after: '0x1' },
      { path: 'gas.usd', before: '1', after: null },
    ]);
  });
});

describe('a time', () => {
  it.each([
    [400, '0 s'],
    [59_000, '59 s'],
    [190_000, '3 min 10 s'],
    [2_460_000, '41 min'],
    [7_800_000, '2 h 10 min'],
    [90_000_000, '1 day 1 h'],
    [260_000_000, '3 days'],
  ])('of %d ms is %s long', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('is written as it passed, as it comes, as it took, and in UTC', () => {
    expect(ago(NOW - 12_000, NOW)).toBe('12 s ago');
    expect(until(NOW + 500, NOW)).toBe('now');
    expect(took(31.4)).toBe('31 ms');
    expect(took(1_204)).toBe('1.20 s');
    expect(utcTime(CREATED)).toBe('2026-11-20 12:00:00.000 UTC');
  });
});

describe('an address', () => {
  it('is shortened in the middle, and looked up on its own chain', () => {
    expect(shortened('0x9f8e7d6c5b4a39281706f5e4d3c2b1a098765432')).toBe('0x9f8e7d6c…98765432');
    expect(explorerUrl(792703809, 'transaction', 'a/b')).toBe('https://solscan.io/tx/a%2Fb');
    expect(explorerUrl(5, 'address', '0x1')).toBeNull();
  });
});

describe('the filters in an address', () => {
  it('come back as they were, a repeated one as a list', () => {
    const search = { search: 'A-17', status: ['FAILED', 'EXPIRED'], late: 'true' };
    expect(readPaymentsSearch(parseSearch(stringifySearch(search)))).toEqual(search);
  });

  it('leave out what the list does not know', () => {
    expect(readPaymentsSearch(parseSearch('?status=PAID&late=maybe&last=9y&other=1'))).toEqual({});
  });
});

describe('what a role may do', () => {
  it('is the same on the pages as at the API', () => {
    for (const role of ROLES)
      for (const right of ['submit', 'refresh', 'inspect', 'repair', 'manage'] as const)
        expect([role, right, mayUse(role, right)]).toEqual([
          role,
          right,
          (ACCESS[right] as readonly string[]).includes(role),
        ]);
  });

  it('is explained where it may not', () => {
    expect(refusalFor('viewer', 'repair')).toBe(
      'Needs the role operator or admin; you are signed in as viewer.',
    );
  });
});

describe('the receivers beside a delivery', () => {
  it('come with a command that installs every package that the one in Node imports', () => {
    const page = readFileSync(new URL('../../docs/using/verifying-webhooks.md', import.meta.url), 'utf8');
    const node = receiversOf(page).find(({ language }) => language === 'Node');
    const imported = [...(node?.program ?? '').matchAll(/ from '([^'.:]+)'/g)].map(([, name]) => name);
    expect(imported).not.toEqual([]);
    expect(node?.install?.split(' ')).toEqual(expect.arrayContaining(imported));
  });
});

describe('the audit log on its page', () => {
  it('has words for each action that docs/running/access.md lists', () => {
    const docs = readFileSync(new URL('../../docs/running/access.md', import.meta.url), 'utf8');
    const [, rows = ''] = docs.split(/^\| `action` .*\n/m);
    const table = rows.slice(0, rows.search(/\n\n/));
    const listed = table
      .split('\n')
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+\.\w+)`/g)]);
    expect(listed.map(([, action]) => action ?? '').toSorted()).toEqual(ACTIONS.toSorted());
  });
});

describe('the sentence about an order', () => {
  it.each([
    [0, 0, null, 'Not paid, and no payment is open.'],
    [0, 1, null, 'Not paid yet. 1 payment may still come.'],
    [1, 0, null, 'Paid.'],
    [1, 2, null, 'Paid. 2 payments may still come.'],
    [2, 0, null, 'Paid 2 times: give back what is too much, and resolve it as a duplicate.'],
    [60, 40, 'next', 'Of the newest 100 payments, 60 completed and 40 are open.'],
  ])('with %d completed and %d open is plain', (completed, open, nextCursor, words) => {
    const payments = Array.from({ length: completed + open });
    const order = { payments, completed: payments.slice(open), open: payments.slice(completed), nextCursor };
    expect(sayOrder(order)).toBe(words);
  });
});
