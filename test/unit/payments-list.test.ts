import { describe, expect, it } from '@jest/globals';

import { parseSearch } from '../../web/src/format/search-params.ts';
import { timeWords } from '../../src/cli/output/time-words.ts';
import { ago, dueTime, exactTime } from '../../web/src/format/time.ts';
import type { Payment, PaymentEvent } from '../../web/src/api/types.ts';
import { changed, withNewer } from '../../web/src/screens/payments/changed-payments.ts';
import { leftOutOfDeliveries } from '../../web/src/screens/deliveries/deliveries-search.ts';
import { leftOutOfPayments } from '../../web/src/screens/payments/payments-search.ts';
import { toldLine, type SentTo } from '../../web/src/screens/payments/told-line.ts';

const TOLD: SentTo['sent'] = {
  state: 'delivered',
  attemptCount: 1,
  lastFailure: null,
  lastHttpStatus: 204,
  waitingFor: null,
};
const REFUSED: SentTo['sent'] = {
  ...TOLD,
  state: 'pending',
  attemptCount: 3,
  lastFailure: 'status',
  lastHttpStatus: 503,
  waitingFor: 'retry',
};
const UNTRIED: SentTo['sent'] = { ...TOLD, state: 'pending', attemptCount: 0, lastHttpStatus: null };

describe('the column Told', () => {
  const lineOf = (...all: SentTo['sent'][]): string => {
    const names = ['shop EU', 'accounting', 'warehouse'];
    const { name, words, rest } = toldLine(all.map((sent, index) => ({ name: names[index] ?? '', sent })));
    return [name, words, rest].filter(Boolean).join(' | ');
  };

  it.each([
    ['no receiver', []],
    ['told | · 1', [TOLD]],
    ['told | · 2', [TOLD, TOLD]],
    ['shop EU | refuses 503 ×3', [REFUSED]],
    ['shop EU | refuses 503 ×3', [REFUSED, TOLD]],
    ['accounting | refuses 503 | +1 more', [TOLD, { ...REFUSED, attemptCount: 1 }, UNTRIED]],
    ['accounting | under way', [TOLD, UNTRIED]],
    ['shop EU | is down', [{ ...UNTRIED, waitingFor: 'circuit' }]],
    ['shop EU | is away', [{ ...UNTRIED, waitingFor: 'broker' }]],
    ['shop EU | is disabled', [{ ...UNTRIED, waitingFor: 'disabled_endpoint' }]],
    ['shop EU | was disabled', [{ ...UNTRIED, state: 'discarded' }]],
    ['shop EU | does not answer ×3', [{ ...REFUSED, lastFailure: 'timeout', lastHttpStatus: null }]],
    ['shop EU | refuses 503 ×16, given up', [{ ...REFUSED, state: 'failed', attemptCount: 16 }]],
  ] as const)('says “%s”', (words, all) => {
    expect(lineOf(...all)).toBe(words);
  });

  it('names each destination in its hint', () => {
    const { hint } = toldLine([
      { name: 'shop EU', sent: TOLD },
      { name: 'accounting', sent: REFUSED },
    ]);
    expect(hint).toBe('accounting refuses 503 ×3\nshop EU told');
  });
});

describe('an address of a list', () => {
  it.each([
    ['?order=desc', ['The filter order is unknown and was left out.']],
    ['?status=FAILED&status=LOST', ['The filter status has no “LOST”, which was left out.']],
    ['?status=FAILED&late=true&last=7d&createdAfter=2026-11-20&search=A-17', []],
    ['?late=maybe&status=', ['The filter late has no “maybe”, which was left out.']],
  ])('of payments: %s', (query, sentences) => {
    expect(leftOutOfPayments(parseSearch(query))).toEqual(sentences);
  });

  it.each([
    ['?status=FAILED', ['The filter status is unknown and was left out.']],
    ['?state=failed&state=lost', ['The filter state has no “lost”, which was left out.']],
    ['?endpointId=e&quoteId=q&orderId=o&sort=oldest', []],
  ])('of deliveries: %s', (query, sentences) => {
    expect(leftOutOfDeliveries(parseSearch(query))).toEqual(sentences);
  });
});

describe('a time in a list', () => {
  const NOW = new Date(2026, 10, 28, 14, 0, 0).getTime();
  const HOUR = 3_600_000;

  it.each([
    [1_000, 'just now'],
    [48_000, '48 s ago'],
    [23 * HOUR, '23 h ago'],
    [24 * HOUR, '27 Nov, 14:00'],
    [400 * 24 * HOUR, '24 Oct 2025'],
  ])('%d ms ago is “%s”', (ms, words) => {
    expect(ago(NOW - ms, NOW)).toBe(words);
  });

  it('has on hover what the command line prints on a terminal', () => {
    const at = '2026-11-20T12:00:00.000Z';
    const [zoned] = exactTime(at).split('\n');
    expect([timeWords(at, true), timeWords(at, true).replace(' UTC', '.000 UTC')]).toContain(zoned);
  });

  it.each([
    [500, 'now'],
    [48_000, 'in 48 s'],
    [24 * HOUR, 'on 29 Nov, 14:00'],
  ])('in %d ms is “%s”', (ms, words) => {
    expect(dueTime(NOW + ms, NOW)).toBe(words);
  });
});

describe('a row of the list of payments', () => {
  const verificationOf = (state: string) =>
    ({ state, checks: [], sources: [] }) as unknown as Payment['verification'];
  const resolved = (reason: string) => ({ reason, note: null, by: 'anna', at: '' }) as Payment['resolution'];
  const row = {
    quoteId: 'q',
    status: 'COMPLETED',
    sequence: 4,
    late: false,
    report: {},
    amounts: { match: 'unknown' },
    verification: verificationOf('pending'),
    resolution: null,
  } as unknown as Payment;
  const event = (type: string, data: object) =>
    ({
      type: `payment.${type}`,
      time: '',
      data: { status: 'COMPLETED', sequence: 5, payment: null, ...data },
    }) as PaymentEvent;
  const wordsOf = ({ sequence, amounts, verification, resolution }: Payment): string =>
    [sequence, amounts?.match, verification?.state, resolution?.reason ?? 'open'].join(' ');

  it.each([
    ['4 unknown pending open', 'verified', { sequence: 4, verification: { state: 'proven' } }, {}],
    ['5 unknown proven open', 'verified', { verification: { state: 'proven' } }, {}],
    ['5 exact pending open', 'updated', { payment: {}, amounts: { match: 'exact' } }, {}],
    ['5 unknown pending open', 'anomaly', { payment: {}, amounts: { match: 'exact' } }, {}],
    ['5 unknown pending released', 'updated', {}, { resolution: resolved('released') }],
    [
      '5 unknown contradicted open',
      'anomaly',
      { verification: { state: 'contradicted' } },
      { resolution: resolved('released') },
    ],
    ['5 unknown pending refunded', 'anomaly', {}, { resolution: resolved('refunded') }],
    ['5 unknown pending open', 'failed', { status: 'FAILED' }, { resolution: resolved('refunded') }],
    ['5 unknown pending refunded', 'updated', { resolution: resolved('refunded') }, {}],
  ])('says %s after an event of type %s', (expected, type, data, before) => {
    expect(wordsOf(changed({ ...row, ...before }, event(type, data)))).toBe(expected);
  });

  it.each([
    ['4 unknown unverified open', 4],
    ['4 unknown pending open', 3],
  ])('says %s once the newest page knows it with event %d', (expected, sequence) => {
    const newest = { data: [{ ...row, sequence, verification: verificationOf('unverified') }] };
    expect(withNewer([row], newest).map(wordsOf)).toEqual([expected]);
  });
});
