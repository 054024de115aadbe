import { describe, expect, it } from '@jest/globals';

import { parseRetryAfter } from '../../src/domain/text/retry-after.ts';

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
