import { describe, expect, it } from '@jest/globals';

import { isOrderId, metadataFault } from '../../src/domain/payment/order-fields.ts';

const faultOf = (metadata: unknown): string | null => {
  const fault = metadataFault(metadata);
  return fault === null ? null : `${fault.key ?? 'metadata'} ${fault.message}`;
};

const entries = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));

describe('an order id', () => {
  it.each([['A-1'], ['x'.repeat(200)]])('may be %s', (orderId) => {
    expect(isOrderId(orderId)).toBe(true);
  });

  it.each([[''], ['x'.repeat(201)], [5], [null], [['A-1']], ['A\n1']])('may not be %j', (orderId) => {
    expect(isOrderId(orderId)).toBe(false);
  });
});

describe('metadata', () => {
  it.each([
    ['nothing', {}],
    ['fifty entries', entries(50)],
    ['a key of 100 characters', { ['k'.repeat(100)]: 'v' }],
    ['an empty value', { k: '' }],
    ['a value of 500 characters', { k: 'v'.repeat(500) }],
    ['lines in a value', { k: 'one\n\ttwo' }],
    ['32 KiB', Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`k${100 + n}`, '€'.repeat(340)]))],
  ])('may have %s', (_what, metadata) => {
    expect(faultOf(metadata)).toBeNull();
  });

  it.each([
    [null, 'metadata must be an object of string values'],
    ['text', 'metadata must be an object of string values'],
    [['v'], 'metadata must be an object of string values'],
    [entries(51), 'metadata must have at most 50 entries'],
    [{ '': 'v' }, ' must have a key of 1 to 100 characters'],
    [{ ['k'.repeat(101)]: 'v' }, `${'k'.repeat(100)} must have a key of 1 to 100 characters`],
    [{ 'a\n\u202eb': 'v' }, 'a?b must have a key without control characters'],
    [JSON.parse('{"__proto__":"v"}'), '__proto__ must have another key: this one is reserved'],
    [{ constructor: 'v' }, 'constructor must have another key: this one is reserved'],
    [{ prototype: 'v' }, 'prototype must have another key: this one is reserved'],
    [{ k: 5 }, 'k must be a string'],
    [{ good: 'v', k: 'v'.repeat(501) }, 'k must have at most 500 characters'],
    [{ k: 'a\0b' }, 'k must be text'],
    [{ k: 'a\ud800b' }, 'k must be text'],
  ])('may not be %j', (metadata, fault) => {
    expect(faultOf(metadata)).toBe(fault);
  });

  it('may not have more bytes than fit into every event, keys and values together', () => {
    const full = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`k${100 + n}`, '€'.repeat(340)]));
    expect(faultOf(full)).toBeNull();
    expect(faultOf({ ...full, k100: `${'€'.repeat(340)}e` })).toBe(
      'metadata must have at most 32 KiB of UTF-8, keys and values together',
    );
  });
});
