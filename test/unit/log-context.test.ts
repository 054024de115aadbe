import { describe, expect, it } from '@jest/globals';

import {
  endpointName,
  loggedDescription,
  loggedOrderId,
  ofOrder,
} from '../../src/domain/text/log-context.ts';

const HOSTILE = 'A\u202e17\u2028{"level":"fatal"}\r\n\u0000\u200b\ud800B';

describe('the words of users in a log', () => {
  it.each([
    ['A-17', ' (order A-17)'],
    ['shop/2026:17#3@x.y+z', ' (order shop/2026:17#3@x.y+z)'],
    ['A 17', ' (order "A 17")'],
    ['1) failed ("x', ' (order "1) failed (\\"x")'],
    ['Käse', ' (order "Käse")'],
    ['', ' (order "")'],
    [null, ''],
  ])('are an order %j as %j', (orderId, words) => {
    expect(ofOrder(orderId)).toBe(words);
  });

  it('are the name of an endpoint, behind its id', () => {
    expect(endpointName('e-1', 'shop EU')).toBe('e-1 ("shop EU")');
    expect(endpointName('e-1', null)).toBe('e-1');
    expect(endpointName('e-1', ' \u202e\n')).toBe('e-1');
  });

  it('are one printable line, whatever they hold', () => {
    for (const text of [ofOrder(HOSTILE), endpointName('e', HOSTILE), loggedOrderId(HOSTILE)]) {
      expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202e\u200b]/u);
      expect(text).toContain('A 17');
    }
    expect(loggedDescription('👨‍👩‍👧 می‌خواهم')).toBe('👨‍👩‍👧 می‌خواهم');
  });

  it('are cut, between characters', () => {
    expect(loggedDescription('x'.repeat(500))).toBe(`${'x'.repeat(79)}…`);
    expect(loggedDescription('x'.repeat(80))).toBe('x'.repeat(80));
    expect(loggedDescription(`${'x'.repeat(78)}😀😀`)).toBe(`${'x'.repeat(78)}…`);
    expect(loggedDescription(`😀${'x'.repeat(90)}`)).toBe(`😀${'x'.repeat(77)}…`);
    expect(loggedOrderId('x'.repeat(200))).toBe('x'.repeat(200));
    expect(loggedOrderId('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
  });
});
