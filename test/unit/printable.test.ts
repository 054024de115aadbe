import { describe, expect, it } from '@jest/globals';

import { isOrderId } from '../../src/domain/payment/order-fields.ts';
import { isPrintable, printable, printableLines } from '../../src/domain/text/printable.ts';
import { cleanText } from '../../src/platform/process/log-redaction.ts';
import { cleanProviderText } from '../../src/providers/connection/clean-provider-text.ts';

/** First and last of each range, and what stands alone. */
const UNPRINTABLE = [
  '\0\u0007\u001b\u007f\u0085\u009f'.split(''),
  [
    '\ud800',
    '\udfff',
    '\u061c',
    '\u200e',
    '\u200f',
    '\u2028',
    '\u2029',
    '\u202a',
    '\u202e',
    '\u2066',
    '\u2069',
  ],
].flat();
const WORDS = ['Größe 7', 'заказ-1', '注文', 'طلب', '👩‍👩‍👧', 'a\u00a0b', 'A-1/2#3 "x"'];

describe('what reaches logs', () => {
  it.each(UNPRINTABLE)('is on one line and reads as it is: %j', (character) => {
    const text = `A${character}1`;
    expect(isOrderId(text)).toBe(false);
    expect(cleanProviderText(text, null)).toBe('A 1');
    expect(cleanText(text)).toBe('A?1');
  });

  it.each(WORDS)('may be any words: %j', (words) => {
    expect([isOrderId(words), cleanProviderText(words, null), cleanText(words)]).toEqual([
      true,
      words,
      words,
    ]);
  });

  it('has one replacement for a run, and keeps line feeds and tabs where there may be lines', () => {
    const text = 'a\u200b\u202e\n\tb';
    expect([isPrintable(text), isPrintable('a b')]).toEqual([false, true]);
    expect(printable(text, '?')).toBe('a?b');
    expect(printableLines(text, '?')).toBe('a??\n\tb');
    expect([printable('ppp', '?'), printableLines('ppp', '?')]).toEqual(['ppp', 'ppp']);
  });

  it('keeps the lines of a stack', () => {
    expect(cleanText('Error: x\n\tat y')).toBe('Error: x\n\tat y');
  });
});
