import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';

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
    ['a;b', '"a;b"'],
    ['a\tb', '"a\tb"'],
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
    ['\t=1', `"\t'=1"`],
    ['\r=1', `"\r'=1"`],
    ["'=1", `''=1`],
    [' =1+1', `' =1+1`],
    ['\u00a0\u200b@x', `'\u00a0\u200b@x`],
    ['＝1+1', `'＝1+1`],
    ['﹣1', `'﹣1`],
    ['a;=HYPERLINK(A1)', `"a;'=HYPERLINK(A1)"`],
    ['a;"=1"', `"a;'""=1"""`],
    ['a;\t @x;-7', `"a;\t' @x;'-7"`],
    ['a\n+1', `"a\n'+1"`],
    [`{"f":"x;=cmd|' /C calc'!A0;y"}`, `"{""f"":""x;'=cmd|' /C calc'!A0;y""}"`],
  ])('makes no formula of %j', (cell, written) => {
    expect(csvLine([cell])).toBe(`${written}\r\n`);
  });

  it.each(['7', '-7', '-0.000000000000000001', '123456789012345678901234567890'])(
    'leaves the number %s a number',
    (cell) => {
      expect(csvLine(['a', cell])).toBe(`a,${cell}\r\n`);
    },
  );

  it('takes no number for one in the first column, which another separator makes the beginning of a longer text', () => {
    expect(csvLine(['-7', '-7'])).toBe(`'-7,-7\r\n`);
  });
});

describe('any text in CSV', () => {
  const SIGN = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u;
  const BEGINNING = /(?:^|[;\t\r\n])(?:(?![\t\r\n])[\s"\p{Cc}\p{Cf}])*[=+\-@＝＋－＠﹦﹢﹣﹫]/gu;
  /** docs/using/payments.md gives it to programs. */
  const ADDED = /(^|[;\t\r\n])'(?=(?:(?![\t\r\n])[\s"'\p{Cc}\p{Cf}])*[=+\-@＝＋－＠﹦﹢﹣﹫])/gu;
  const RUNS = { numRuns: 500 };

  const pieces = fc.constantFrom(...Array.from(`=+-@＝＋－＠﹦﹢﹣﹫;,\t\r\n"' a7\u00a0\u200b\u0000`));
  const cells = fc.oneof(
    fc.string({ unit: fc.oneof(pieces, fc.string()) }),
    fc.constantFrom('-7', '-0.5', '12'),
  );
  const files = fc.array(fc.array(cells, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 4 });
  const textOf = (lines: readonly string[][]): string => lines.map((line) => csvLine(line)).join('');

  it('is read back by a program as it was', () => {
    const reading = fc.property(files, (lines) => {
      const read: string[][] = parse(textOf(lines), { record_delimiter: '\r\n' });
      expect(read.map((line) => line.map((cell) => cell.replace(ADDED, '$1')))).toEqual(lines);
    });
    fc.assert(reading, RUNS);
  });

  /** As a spreadsheet reads it: a quote that is not closed ends with the file. */
  function readBy(text: string, delimiter: string | string[]): string[][] {
    const options = { record_delimiter: ['\r\n', '\n', '\r'], relax_quotes: true, relax_column_count: true };
    try {
      return parse(text, { ...options, delimiter });
    } catch {
      return parse(`${text}"`, { ...options, delimiter });
    }
  }

  it.each([[','], [';'], ['\t'], [[',', ';', '\t']]])('is no formula with the separator %j', (delimiter) => {
    const reading = fc.property(files, (lines) => {
      const read = readBy(textOf(lines), delimiter).flat();
      expect(read.filter((cell) => SIGN.test(cell) && !/^-[\d.]+$/.test(cell))).toEqual([]);
    });
    fc.assert(reading, RUNS);
  });

  it('has no sign where a spreadsheet with another separator begins a cell, however that reads quotes', () => {
    const writing = fc.property(files, (lines) => {
      expect(textOf(lines).match(BEGINNING)).toBeNull();
    });
    fc.assert(writing, RUNS);
  });
});
