import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonText, stringify } from '../../src/platform/http/json-text.ts';
import { elementTexts, memberText, memberTexts } from '../../src/domain/text/member-text.ts';
import { objectSchema, type Fields } from '../../src/domain/text/json-schema.ts';
import { exceededBound } from '../../src/domain/text/json-bounds.ts';
import { isOrderId } from '../../src/domain/payment/order-fields.ts';
import { isPrintable, printable, printableLines } from '../../src/domain/text/printable.ts';
import { cleanText } from '../../src/platform/process/log-redaction.ts';
import { cleanProviderText } from '../../src/providers/connection/clean-provider-text.ts';
import { parse } from 'csv-parse/sync';
import { csvLine } from '../../src/domain/text/csv-line.ts';
import { readTraceparent } from '../../src/platform/tracing/otel-tracer.ts';
import { parseRetryAfter } from '../../src/domain/text/retry-after.ts';
import { fieldsOfSchema } from '../../tools/generate/fields-of-schema.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const REPORT =
  '{"success":true, "z":1,"a":123456789012345678901234567890.100,"10":"x","2":1e400,"nested":{"é":"\\u00e9 $& $1 \\\\"}}';

const codePoint = fc.integer({ min: 0, max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code));

/** The marker that would be taken for a place; the test makes JSON.stringify show it. */
function stolenMarker(): string {
  const native = JSON.stringify;
  let seen = '';
  JSON.stringify = ((...args: Parameters<typeof native>) => (seen = native(...args))) as typeof native;
  try {
    stringify({ a: new JsonText('1') });
  } finally {
    JSON.stringify = native;
  }
  return /"a":"(.+)"/.exec(seen)?.[1] ?? '';
}

describe('verbatim JSON', () => {
  it('keeps every byte: 30-digit numbers, trailing zeros, key order, spaces, escapes', () => {
    expect(stringify(new JsonText(REPORT))).toBe(REPORT);
    expect(stringify({ quoteId: 'q', report: new JsonText(REPORT), list: [new JsonText('1.10'), 2] })).toBe(
      `{"quoteId":"q","report":${REPORT},"list":[1.10,2]}`,
    );
  });

  it('is JSON.stringify for everything without it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(stringify(value)).toBe(JSON.stringify(value));
      }),
    );
    expect(stringify({ at: new Date(0), gone: undefined })).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
    expect(stringify(null)).toBe('null');
    expect(stringify(undefined)).toBe('null');
  });

  it('survives whatever strings stand around it', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.jsonValue(), (text, value) => {
        const raw = ` ${JSON.stringify(value)} `;
        const json = stringify({ [text]: text, raw: new JsonText(raw), after: text });
        expect(json).toContain(raw);
        expect(JSON.parse(json)).toEqual(
          JSON.parse(JSON.stringify({ [text]: text, raw: value, after: text })),
        );
      }),
    );
  });

  it('puts many texts each in its own place', () => {
    const many = Array.from({ length: 25 }, (_, index) => new JsonText(`${index}.0`));
    expect(stringify(many)).toBe(`[${many.map((one) => one.text).join(',')}]`);
  });

  it.each(['0', '"0"', ':0', '"__JSON__:0"', '\\":0"', 'undefined:0'])(
    'does not take a string of a user for a place: %s',
    (forged) => {
      const json = stringify({ forged, real: new JsonText('{"paid":true}') });
      expect(JSON.parse(json)).toEqual({ forged, real: { paid: true } });
    },
  );

  it('has a marker that cannot be guessed, and never lets it out', () => {
    const marker = stolenMarker();
    expect(marker).toMatch(/^[\w-]{24}:0$/);
    expect(stringify({ a: new JsonText('1'), b: 'x' })).not.toContain(marker.slice(0, 8));
  });

  it('does not search for places inside of verbatim texts', () => {
    const forged = `{"x":"${stolenMarker()}"}`;
    expect(stringify([new JsonText(forged), new JsonText('2')])).toBe(`[${forged},2]`);
  });
});

describe('the text of a member', () => {
  it.each([
    ['{"a": 1.50, "b" :\t{"x":[1, 2], "y":"}\\"]"} , "c":0}', 'b', '{"x":[1, 2], "y":"}\\"]"}'],
    ['{"n":12345678901234567890.10}', 'n', '12345678901234567890.10'],
    ['{"a":1,"a": 2 }', 'a', '2'],
    ['{"\\u0061":true}', 'a', 'true'],
    ['{"x":{"a":1}}', 'a', null],
    ['{"x":"\\"a\\":1"}', 'a', null],
    ['[{"a":1}]', 'a', null],
    ['["a",1]', 'a', null],
    ['"a"', 'a', null],
    [' { } ', 'a', null],
  ])('of %s, %s, is %s', (json, name, text) => {
    expect(memberText(json, name)).toBe(text);
  });

  it('parses to what JSON.parse gives the member, whatever the JSON and its spaces', () => {
    const spaces = fc.constantFrom(undefined, 1, '\t', ' \r\n');
    const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), spaces, (object, indent) => {
      const json = JSON.stringify(object, null, indent);
      for (const [name, value] of Object.entries(JSON.parse(json)))
        expect(JSON.parse(memberText(json, name) ?? '')).toEqual(value);
      expect(memberText(json, 'a name that nothing has')).toBeNull();
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe('the texts of the elements', () => {
  it.each([
    ['[1.50, {"a":[1, 2]} ,"],"]', ['1.50', '{"a":[1, 2]}', '"],"']],
    [' [ 12345678901234567890.10 ] ', ['12345678901234567890.10']],
    ['[ ]', []],
    ['{"a":[1]}', null],
    ['"[1]"', null],
  ])('of %s are %j', (json, texts) => {
    expect(elementTexts(json)).toEqual(texts);
  });

  it('and of the members parse to what JSON.parse gives, whatever the JSON and its spaces', () => {
    const spaces = fc.constantFrom(undefined, 1, '\t', ' \r\n');
    const property = fc.property(fc.array(fc.jsonValue()), spaces, (array, indent) => {
      const json = JSON.stringify(array, null, indent);
      expect(elementTexts(json)?.map((text) => JSON.parse(text) as unknown)).toEqual(JSON.parse(json));
      expect(memberTexts(json)).toBeNull();
      const object = `{"list":${json}, "n":1.0}`;
      expect([...(memberTexts(object) ?? [])]).toEqual([
        ['list', json],
        ['n', '1.0'],
      ]);
    });
    fc.assert(property, { numRuns: 300 });
  });
});

const FIELDS: Fields = {
  id: { type: 'string' },
  note: { type: 'string', optional: true },
};

describe('the schema of an object', () => {
  it('requires each field that is not optional, and allows others', () => {
    expect(objectSchema(FIELDS)).toEqual({
      type: 'object',
      properties: { id: { type: 'string' }, note: { type: 'string' } },
      required: ['id'],
      additionalProperties: true,
    });
  });

  it('gives its fields back', () => {
    expect(fieldsOfSchema(objectSchema(FIELDS))).toEqual(FIELDS);
  });
});

const boundOf = (json: string, depth: number, values: number): string | null =>
  exceededBound(new TextEncoder().encode(json), { depth, values });

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** The members and elements of all levels; an empty object or array counts as one. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce<number>((sum, each) => sum + valuesOf(each), Math.max(inner.length, 1));
}

describe('the bounds of JSON', () => {
  it.each([
    ['[[[1]]]', 3, 9, null],
    ['[[[1]]]', 2, 9, 'depth'],
    ['{"a":{"b":[]}}', 2, 9, 'depth'],
    ['[[],[],[]]', 2, 9, null],
    ['[1,2,3]', 1, 3, null],
    ['[1,2,3,4]', 1, 3, 'values'],
    ['{"a":1,"b":[2,3]}', 2, 4, null],
    ['{"a":1,"b":[2,3]}', 2, 3, 'values'],
    ['1', 0, 0, null],
    ['', 0, 0, null],
  ])('of %s with a depth of %i and %i values: %s', (json, depth, values, bound) => {
    expect(boundOf(json, depth, values)).toBe(bound);
  });

  it.each([
    ['brackets', '["[[[{{{"]'],
    ['commas', '["a,b,c,d"]'],
    ['escaped quotation marks', String.raw`["\",[[[,,,\\\"[,["]`],
    ['a backslash at the end', String.raw`["\\"]`],
  ])('do not count %s in a text', (_what, json) => {
    expect(boundOf(json, 1, 1)).toBeNull();
  });

  it('count what follows a text', () => {
    expect(boundOf(String.raw`["\\",[1]]`, 1, 9)).toBe('depth');
    expect(boundOf(String.raw`["a",1]`, 1, 1)).toBe('values');
  });

  it('end a scan of what is cut off within a text', () => {
    expect(boundOf('["abc', 1, 1)).toBeNull();
    expect(boundOf('["abc\\', 1, 1)).toBeNull();
  });

  it('are exactly those of the value', () => {
    const property = fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      const [depth, values] = [depthOf(value), valuesOf(value)];
      expect(boundOf(json, depth, values)).toBeNull();
      if (depth > 0) expect(boundOf(json, depth - 1, values)).toBe('depth');
      if (values > 0) expect(boundOf(json, depth, values - 1)).toBe('values');
    });
    fc.assert(property, { seed: 1, numRuns: 200 });
  });
});

/** The first and last character of each range, and single characters. */
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
    ['\u001b[31m\0\u009b', '\\u001b[31m\\u0000\\u009b'],
    ['\u001b=1', '\\u001b=1'],
  ])('quotes or escapes what would break it: %j', (cell, written) => {
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

  it('is read back by a program as it was, with NUL escaped', () => {
    const reading = fc.property(files, (lines) => {
      const read: string[][] = parse(textOf(lines), { record_delimiter: '\r\n' });
      expect(read.map((line) => line.map((cell) => cell.replace(ADDED, '$1')))).toEqual(
        lines.map((line) => line.map((cell) => cell.replaceAll('\0', '\\u0000'))),
      );
    });
    fc.assert(reading, RUNS);
  });

  /** Reads like a spreadsheet: an unclosed quote ends with the file. */
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

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it.each([
  [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
  // A later version is read as far as this version goes.
  [`cc-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-adds`, `00-${TRACE}-${SPAN}-01`],
])('reads %s', (header, read) => {
  expect(readTraceparent(header)).toBe(read);
});

it.each([
  undefined,
  '',
  'garbage',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}-01 `,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `cc-${TRACE}-${SPAN}-01.more`,
  [`00-${TRACE}-${SPAN}-01`],
])('ignores %j', (header) => {
  expect(readTraceparent(header)).toBeNull();
});

const NOW = new Date('2026-11-20T12:00:00.000Z');
describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['\t7', 7_000],
    ['99999999999', 99_999_999_999_000],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['fri, 20 nov 2026 12:00:30 utc', 30_000],
    ['Friday, 20-Nov-26 12:00:30 GMT', 30_000],
    ['Fri Nov 20 12:00:30 2026', 30_000],
    ['Sun Dec  6 12:00:00 2026', 16 * 86_400_000],
    ['Sun Dec 06 12:00:00 2026', 16 * 86_400_000],
    ['Fri, 20 Nov 2026 12:00:60 GMT', 60_000],
    ['Fri, 20 Nov 2026 23:59:59 GMT', 43_199_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['Sat, 20 Nov 2094 12:00:00 GMT', Date.UTC(2094, 10, 20, 12) - NOW.getTime()],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Sun Nov  6 08:49:37 1994', 0],
  ])('%j asks for %d ms', (header, ms) => {
    expect(parseRetryAfter(header, NOW)).toBe(ms);
  });

  it.each([
    [undefined],
    [''],
    ['-5'],
    ['1.5'],
    ['7 s'],
    ['soon'],
    ['Mon, never'],
    ['Friday noon'],
    ['2026-11-20'],
    ['2026-11-20T12:00:30Z'],
    ['20 Nov 2026 12:01:00 GMT (Fri)'],
    ['Fri, 20 Nov 2026 12:00:30'],
    ['Fri, 20 Nov 2026 12:00:30 +0100'],
    ['Fri, 20 Nov 2026 12:00:30 GMT+1'],
    ['x Fri, 20 Nov 2026 12:00:30 GMT'],
    ['Fri, 20 Nov 2026 24:00:00 GMT'],
    ['Fri, 20 Nov 2026 12:60:00 GMT'],
    ['Fri, 20 Nov 2026 12:00:61 GMT'],
    ['Fri, 20 Non 2026 12:00:30 GMT'],
    ['Fri, 20 Nov 226 12:00:30 GMT'],
    ['x Fri Nov 20 12:00:30 2026'],
    ['Fri Nov 20 12:00:30 2026 CET'],
    ['Fri Nov 20 12:00:30 26'],
  ])('%j asks for nothing that is known', (header) => {
    expect(parseRetryAfter(header, NOW)).toBeNull();
  });

  it('is unknown as a date where the time is not known', () => {
    const unknown = new Date(Number.NaN);
    expect(parseRetryAfter('Fri, 20 Nov 2026 12:00:30 GMT', unknown)).toBeNull();
    expect(parseRetryAfter('30', unknown)).toBe(30_000);
  });

  it.each([
    ['2026-11-20', '76', 2076],
    ['2026-11-20', '77', 1977],
    ['2026-11-20', '26', 2026],
    ['1999-12-31', '00', 2000],
    ['1999-12-31', '49', 2049],
    ['1999-12-31', '50', 1950],
    ['2099-06-01', '01', 2101],
  ])('has in %s a year of two digits at most 50 years ahead: %s is %d', (today, digits, year) => {
    const now = new Date(today);
    const wait = parseRetryAfter(`Friday, 31-Dec-${digits} 00:00:00 GMT`, now);
    expect(wait).toBe(Math.max(Date.UTC(year, 11, 31) - now.getTime(), 0));
  });

  it.each(['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'])(
    'knows the month %s',
    (month) => {
      const now = new Date(Date.UTC(2026, 0, 1));
      const at = new Date(now.getTime() + (parseRetryAfter(`Mon ${month} 28 00:00:00 2026`, now) ?? 0));
      expect(at.toUTCString().slice(5, 16).toLowerCase()).toBe(`28 ${month} 2026`);
    },
  );
});

/** Jest's copy of `process.env` changes no time zone, so that a second process reads the dates. */
const READ = `
  const { importSources } = await import('./tools/generate/import-sources.js');
  const { parseRetryAfter } = await importSources('./src/domain/text/retry-after.ts');
  const { readInstant } = await importSources('./src/domain/payment/reading.ts');
  const now = new Date('2026-11-20T12:00:00.000Z');
  const waits = ['Fri, 20 Nov 2026 12:00:30 GMT', 'Friday, 20-Nov-26 12:00:30 GMT', 'Fri Nov 20 12:00:30 2026'];
  const instants = ['2026-11-20T12:00:00', '2026-11-20 12:00:00', '2026-11-20T12:00:00Z', 'Nov 20 2026 12:00:00'];
  const read = ['America/New_York', 'Asia/Tokyo'].map((zone) => {
    process.env.TZ = zone;
    return {
      offset: now.getTimezoneOffset(),
      waits: waits.map((text) => parseRetryAfter(text, now)),
      instants: instants.map((text) => readInstant(text)),
    };
  });
  console.log(JSON.stringify(read));`;

describe('a date from outside', () => {
  it('is the same whatever the time zone of the process', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', READ]);
    const noon = '2026-11-20T12:00:00.000Z';
    const read = { waits: [30_000, 30_000, 30_000], instants: [noon, noon, noon, null] };
    expect(JSON.parse(stdout)).toEqual([
      { offset: 300, ...read },
      { offset: -540, ...read },
    ]);
  });
});
