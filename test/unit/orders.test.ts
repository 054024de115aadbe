import { describe, expect, it } from '@jest/globals';

import { orderStateOf } from '../../src/domain/payment/order.ts';
import { sumsOf, type SummedPayment } from '../../src/domain/payment/order-sums.ts';
import type { Resolution, ResolutionReason } from '../../src/domain/payment/payment.ts';
import { readRoute } from '../../src/domain/payment/route.ts';
import { madePayment } from '../support/made-payment.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

describe('the state of an order', () => {
  it.each([
    ['AWAITING_DEPOSIT', 'active', null, ['open']],
    ['EXECUTING', 'active', null, ['open']],
    ['EXECUTING', 'active', 'other', ['open', 'resolved']],
    ['EXPIRED', 'watching', null, []],
    ['FAILED', 'closed', 'refunded', ['resolved']],
    ['COMPLETED', 'closed', null, ['completed']],
    ['COMPLETED', 'watching', null, ['completed']],
    ['COMPLETED', 'closed', 'fulfilled_elsewhere', ['completed', 'resolved']],
    ['COMPLETED', 'closed', 'duplicate', ['resolved']],
  ] as const)(
    'has a payment that is %s, %s and resolved as %s under %j',
    (status, tracking, reason, lists) => {
      const resolution = reason === null ? null : resolvedAs(reason);
      const state = orderStateOf([{ ...madePayment(NOW), status, tracking, resolution }]);
      const has = (list: string): string[] => (lists.some((each) => each === list) ? ['q'] : []);
      expect(state).toEqual({ open: has('open'), completed: has('completed'), resolved: has('resolved') });
    },
  );
});

function resolvedAs(reason: ResolutionReason): Resolution {
  return { reason, note: null, by: 'ops', at: NOW.toISOString() };
}

describe('the sums of an order', () => {
  const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
  const paid = (
    came: string | null,
    arrived: string | null,
    chainId = 8453,
    token = USDC,
  ): SummedPayment => ({
    amounts: { send: { asked: '25.10', came, token }, receive: { promised: '0.1', arrived, token: '0x0' } },
    route: readRoute({
      quoteText: JSON.stringify({
        send: { chain: { id: chainId }, token: { address: token, symbol: 'USDC' } },
        receive: { chain: { id: 1 }, token: { address: '0x0', symbol: 'ETH' } },
      }),
      reportText: null,
    }),
  });

  it('are exact, to the last digit of any amount', () => {
    const sums = sumsOf([paid('0.1', '0.100000000000000001'), paid('90071992547409930.2', '0.2')]);
    expect(sums).toEqual({
      send: [{ chainId: '8453', token: USDC, symbol: 'USDC', asked: '50.2', came: '90071992547409930.3' }],
      receive: [
        { chainId: '1', token: '0x0', symbol: 'ETH', promised: '0.2', arrived: '0.300000000000000001' },
      ],
    });
  });

  it('are of each token of each chain for itself, an address in any case, from the deposit on', () => {
    const payments = [
      paid('1', null),
      paid('2', null, 10),
      paid('4', null, 8453, USDC.toUpperCase().replace('X', 'x')),
    ];
    const before = { ...paid(null, null), amounts: null };
    expect(sumsOf([...payments, before]).send.map(({ chainId, came }) => [chainId, came])).toEqual([
      ['8453', '5'],
      ['10', '2'],
    ]);
  });

  it('lack what no payment says', () => {
    expect(sumsOf([paid(null, null), paid('3', null)])).toMatchObject({
      send: [{ came: '3' }],
      receive: [{ arrived: null }],
    });
    expect(sumsOf([])).toEqual({ send: [], receive: [] });
  });
});
