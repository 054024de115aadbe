import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { JsonText, stringify } from '../../src/platform/http/json-text.ts';

const REPORT =
  '{"success":true, "z":1,"a":123456789012345678901234567890.100,"10":"x","2":1e400,"nested":{"é":"\\u00e9 $& $1 \\\\"}}';

/** The marker that would be taken for a place: found by making JSON.stringify show it. */
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
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (text, value) => {
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

  it('has a marker that can not be guessed, and never lets it out', () => {
    const marker = stolenMarker();
    expect(marker).toMatch(/^[\w-]{24}:0$/);
    expect(stringify({ a: new JsonText('1'), b: 'x' })).not.toContain(marker.slice(0, 8));
  });

  it('does not search for places inside of verbatim texts', () => {
    const forged = `{"x":"${stolenMarker()}"}`;
    expect(stringify([new JsonText(forged), new JsonText('2')])).toBe(`[${forged},2]`);
  });
});
