import { describe, expect, it } from '@jest/globals';

import { endpointStateOf, type EndpointFacts } from '../../src/domain/delivery/endpoint-state.ts';

const at = (second: number): Date => new Date(second * 1_000);
const WELL: EndpointFacts = {
  enabled: true,
  circuit: 'closed',
  failingPayments: 0,
  refusedSince: null,
  lastDeliveredAt: at(100),
};

describe('the state of an endpoint', () => {
  it.each<[string, Partial<EndpointFacts>]>([
    ['ok', {}],
    ['ok', { lastDeliveredAt: null }],
    // Two orders are refused, and another was taken after that.
    ['refusing', { refusedSince: at(90) }],
    ['refusing', { refusedSince: at(90), failingPayments: 2 }],
    // Too many others have failed since.
    ['failing', { refusedSince: at(90), failingPayments: 3 }],
    // Nothing was taken since the first one failed.
    ['failing', { refusedSince: at(110), failingPayments: 1 }],
    ['failing', { refusedSince: at(110), failingPayments: 1, lastDeliveredAt: null }],
    ['failing', { refusedSince: at(110) }],
    // It was given up, and nothing has been taken since.
    ['failing', { failingPayments: 1 }],
    ['open', { circuit: 'open', refusedSince: at(90), failingPayments: 3 }],
    ['recovering', { circuit: 'recovering', refusedSince: at(90) }],
    ['disabled', { enabled: false, circuit: 'open' }],
  ])('is %s with %j', (state, facts) => {
    expect(endpointStateOf({ ...WELL, ...facts })).toBe(state);
  });
});
