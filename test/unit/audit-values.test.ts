import { describe, expect, it } from '@jest/globals';

import { auditTarget, auditValues } from '../../src/features/audit/audit-values.ts';

describe('the values of an audit entry', () => {
  it('are the fields of the request as they were sent', () => {
    const fields = {
      orderId: 'A-1',
      metadata: { shop: 'eu' },
      eventTypes: ['payment.completed'],
      enabled: false,
    };
    expect(auditValues(fields)).toEqual(fields);
    expect(auditValues({ description: null, limit: 5 })).toEqual({ description: null, limit: 5 });
  });

  it.each([
    ['https://shop.example/hook', 'https://shop.example/hook'],
    ['https://user:hunter2@shop.example:8443/hook', 'https://[redacted]@shop.example:8443/hook'],
    ['https://hunter2@shop.example', 'https://[redacted]@shop.example/'],
    ['https://shop.example/hook?token=hunter2&x=1', 'https://shop.example/hook?[redacted]'],
    ['https://shop.example/hook#hunter2', 'https://shop.example/hook'],
    ['http://user:p/hunter2@shop.example', '[not a URL]'],
    ['hunter2', '[not a URL]'],
  ])('keep of a URL neither user, password, query nor fragment: %s', (url, kept) => {
    expect(auditValues({ url })).toEqual({ url: kept });
  });

  it.each([
    [['https://user:hunter2@shop.example/?token=hunter2']],
    [{ href: 'https://shop.example/?hunter2' }],
    [null],
  ])('keep nothing of a URL that is no text: %j', (url) => {
    expect(auditValues({ url })).toEqual({ url: '[not a URL]' });
  });

  it.each(['secret', 'key', 'apiKey', 'password', 'previousSecret', 'authorization'])(
    'hold nothing of a field that is named like a secret: %s',
    (name) => {
      expect(auditValues({ [name]: 'hunter2' })).toEqual({ [name]: '[redacted]' });
      expect(JSON.stringify(auditValues({ [name]: { in: ['hunter2'] } }))).not.toContain('hunter2');
    },
  );

  it('hold no text that looks like a secret, under any name', () => {
    const secrets = { description: `our whsec_${'a'.repeat(32)} and pb_${'b'.repeat(43)}` };
    expect(auditValues(secrets)).toEqual({ description: 'our [redacted] and [redacted]' });
  });

  it('have at most 4 kB, and say what was cut', () => {
    const long = 'x'.repeat(5_000);
    const fields = Object.fromEntries(Array.from({ length: 20 }, (_none, at) => [`field${at}`, long]));
    const kept = auditValues({ short: 'a', ...fields });
    expect(kept['short']).toBe('a');
    expect(kept['field0']).toBe(`"${'x'.repeat(999)}…`);
    expect(kept['field19']).toBe('…');
    expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(5_000);
  });

  it('are JSON that PostgreSQL takes, wherever a text was cut', () => {
    const emoji = '😀'.repeat(1_000);
    for (const text of [emoji, `x${emoji}`, '\ud83d', 'a\u0000b']) {
      const json = JSON.stringify(auditValues({ text, nested: { text }, named: [{ [text]: 1 }], [text]: 1 }));
      expect(json).not.toMatch(/\\u(?:d[89a-f]|0000)/i);
    }
  });

  it('name the target on one line of bounded length', () => {
    expect(auditTarget('5af8532c')).toBe('5af8532c');
    expect(auditTarget('a\nb\tc\u0000')).toBe('a?b?c?');
    expect(auditTarget('x'.repeat(500))).toHaveLength(200);
  });
});
