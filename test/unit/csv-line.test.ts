import { describe, expect, it } from '@jest/globals';

import { csvLine } from '../../src/domain/text/csv-line.ts';

describe('a line of CSV', () => {
  it('has commas between its cells, and ends with CR and LF', () => {
    expect(csvLine(['a', '', 'b c', '7'])).toBe('a,,b c,7\r\n');
  });

  it.each([
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['Käse', 'Käse'],
  ])('quotes what would break it: %j', (cell, written) => {
    expect(csvLine([cell])).toBe(`${written}\r\n`);
  });

  it.each([
    ['=1+1', `'=1+1`],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['+49 30 1', `'+49 30 1`],
    ['+1', `'+1`],
    ['-2+3', `'-2+3`],
    ['-', `'-`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\tx', `'\tx`],
    ['\r=1', `"'\r=1"`],
    ["'=1", `'=1`],
  ])('makes no formula of %j', (cell, written) => {
    expect(csvLine([cell])).toBe(`${written}\r\n`);
  });

  it.each(['7', '-7', '-0.000000000000000001', '123456789012345678901234567890'])(
    'leaves the number %s a number',
    (cell) => {
      expect(csvLine([cell])).toBe(`${cell}\r\n`);
    },
  );
});
