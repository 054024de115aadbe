import { describe, expect, it } from '@jest/globals';

import { httpUrl, instant } from '../../src/cli/output/option-values.ts';
import { readClientSettings } from '../../src/config/client-settings.ts';

describe('a time in the words of a command', () => {
  it('is an instant, or how long ago', () => {
    expect(instant('2026-11-20')).toBe('2026-11-20T00:00:00.000Z');
    expect(instant('2028-02-29T23:30:00+02:00')).toBe('2028-02-29T21:30:00.000Z');
    const anHourAgo = Date.parse(instant('1h'));
    expect(Date.now() - anHourAgo).toBeGreaterThanOrEqual(3_600_000);
  });

  it.each(['2026-02-30', '2026-02-29T12:00:00Z', '2026-13-01', '2026-11-20T25:00:00Z', '7', '1w', '-1h', ''])(
    'is not "%s"',
    (text) => {
      expect(() => instant(text)).toThrow('It is no time such as 2h');
    },
  );
});

describe('a URL in the words of a command', () => {
  it.each(['127.0.0.1:4000', 'ftp://a', 'http://'])('is not "%s"', (text) => {
    expect(() => httpUrl(text)).toThrow('It is no http:// or https:// URL.');
  });

  it('has no password, which would be printed and not sent', () => {
    expect(() => httpUrl('http://me:hunter2@127.0.0.1/')).toThrow(/^It has a user or a password/);
  });
});

describe('where the command line finds Paybell', () => {
  it.each([
    'http://me:hunter2@pay.example',
    'https://pay.example/?key=hunter2',
    'https://pay.example/#hunter2',
  ])('is not %s, which would be printed where it fails', (PAYBELL_URL) => {
    expect(() => readClientSettings({ PAYBELL_URL })).toThrow(
      /PAYBELL_URL may have no user, password(?!.*hunter2)/,
    );
  });

  it.each(['one\ntwo', 'schlüssel-€'])(
    'is not asked with a key that no request can carry',
    (PAYBELL_API_KEY) => {
      const read = (): unknown => readClientSettings({ PAYBELL_API_KEY });
      expect(read).toThrow(/^The configuration is not valid:\n {2}- PAYBELL_API_KEY has characters [^€\n]*$/);
    },
  );

  it('is asked with what is around a key left away', () => {
    const env = { PAYBELL_URL: 'https://pay.example/base/', PAYBELL_API_KEY: ' key\r\n' };
    expect(readClientSettings(env)).toEqual({
      url: 'https://pay.example/base',
      apiKey: 'key',
      isNamed: true,
    });
  });
});
