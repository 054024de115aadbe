import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { DIGITS_OF_STORY } from '../../src/providers/sandbox/stories.ts';
import { grouped, money, total } from '../../web/src/format/amount.ts';
import { explorerUrl, shortened } from '../../web/src/format/chains.ts';
import { differencesOf } from '../../src/domain/story/differences.ts';
import { indented, memberText, parseExactly } from '../../web/src/format/json.ts';
import { ago, duration, took, until, utcTime } from '../../web/src/format/time.ts';
import { partsOf } from '../../web/src/format/sentence.ts';
import { parseSearch, stringifySearch } from '../../web/src/format/search-params.ts';
import { mayUse, refusalFor } from '../../web/src/access/roles.ts';
import { labelOf, screenOf } from '../../web/src/screens/attention/attention-links.ts';
import { neededOf } from '../../web/src/screens/attention/attention-words.ts';
import { receiversOf } from '../../web/src/screens/delivery/receivers.ts';
import { ACTIONS } from '../../web/src/screens/access/action-words.ts';
import { readPaymentsSearch } from '../../web/src/screens/payments/payments-search.ts';
import { sayOrder } from '../../src/domain/story/say-order.ts';
import { SHELVES } from '../../web/src/screens/sandbox/stories.ts';
import { ROLES } from '../../src/domain/access/role.ts';
import { ACCESS } from '../../src/platform/http/access.ts';

const CREATED = '2026-11-20T12:00:00.000Z';
const NOW = Date.parse('2026-11-20T12:06:00.000Z');

describe('the page of the sandbox', () => {
  it('makes each story, by its digits', () => {
    const endings = SHELVES.flatMap(({ stories }) => stories.map(({ ending }) => ending));
    expect(endings).toEqual([...DIGITS_OF_STORY.values()]);
  });
});

describe('an amount', () => {
  it('is grouped by thousands, and keeps every digit', () => {
    expect(grouped('1234567.000000000000000001')).toBe('1,234,567.000000000000000001');
    expect(grouped('-1000')).toBe('-1,000');
    expect(grouped('0.10')).toBe('0.10');
    expect(grouped('about 3')).toBe('about 3');
    expect(money('19.90', 'USDC')).toBe('19.90 USDC');
  });

  it('of money has two digits after the point or more', () => {
    expect(money('430.2', 'USDC')).toBe('430.20 USDC');
    expect(money('3', null)).toBe('3.00');
    expect(money('0.000001', 'ETH')).toBe('0.000001 ETH');
    expect(money('much', 'ETH')).toBe('much ETH');
  });
});

describe('a total', () => {
  it('is exact, or at least so many, and nothing where none was counted in time', () => {
    expect(total({ count: 1, isMore: false }, 'payment')).toBe('1 payment');
    expect(total({ count: 1_590, isMore: false }, 'delivery', 'deliveries')).toBe('1,590 deliveries');
    expect(total({ count: 10_000, isMore: true }, 'payment')).toBe('10,000 or more payments');
    expect(total({ count: 0, isMore: true }, 'payment')).toBeNull();
  });
});

describe('JSON', () => {
  const text =
    '{"a":1.10,"event":{"b":[],"c":"}\\""},"n":123456789012345678901234567890,"r":9007199254740993,"i":42}';

  it('is parsed without losing a digit of a number', () => {
    expect(parseExactly(text)).toEqual({
      a: '1.10',
      event: { b: [], c: '}"' },
      n: '123456789012345678901234567890',
      r: '9007199254740993',
      i: 42,
    });
  });

  it('is indented without changing a value', () => {
    expect(indented(text).replaceAll(/\n */g, '').replaceAll('": ', '":')).toBe(text);
    expect(indented('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  });

  it('gives up the exact text of a member', () => {
    expect(memberText(text, 'event')).toBe('{"b":[],"c":"}\\""}');
    expect(memberText(text, 'i')).toBe('42');
    expect(memberText(text, 'b')).toBeNull();
  });
});

describe('the differences of two reports', () => {
  it('are their changed, new and missing fields by path', () => {
    const before = { status: 'EXECUTING', gas: { usd: '1' }, steps: [{ id: 'swap' }] };
    const after = { status: 'COMPLETED', steps: [{ id: 'swap', txHash: '0x1' }], error: null };
    expect(differencesOf(before, after)).toEqual([
      { path: 'status', before: 'EXECUTING', after: 'COMPLETED' },
      { path: 'steps.0.txHash', before: null, after: '0x1' },
      { path: 'gas.usd', before: '1', after: null },
    ]);
  });
});

describe('a time', () => {
  it.each([
    [400, '0 s'],
    [59_000, '59 s'],
    [190_000, '3 min 10 s'],
    [2_460_000, '41 min'],
    [7_800_000, '2 h 10 min'],
    [90_000_000, '1 day 1 h'],
    [260_000_000, '3 days'],
  ])('of %d ms is %s long', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('is written as it passed, as it comes, as it took, and in UTC', () => {
    expect(ago(NOW - 12_000, NOW)).toBe('12 s ago');
    expect(until(NOW + 500, NOW)).toBe('now');
    expect(took(31.4)).toBe('31 ms');
    expect(took(1_204)).toBe('1.20 s');
    expect(utcTime(CREATED)).toBe('2026-11-20 12:00:00.000 UTC');
  });
});

describe('a sentence of the API', () => {
  it.each([
    [
      'It brings 248619000, at least 9 was promised.',
      [['text', 'It brings 248,619,000, at least 9 was promised.']],
    ],
    ['Its block is final, 72422 blocks deep.', [['text', 'Its block is final, 72,422 blocks deep.']]],
    ['At least 10000 payments of 10000.', [['text', 'At least 10,000 payments of 10000.']]],
    [
      'The transaction succeeded in block 46817001.',
      [['text', 'The transaction succeeded in block 46,817,001.']],
    ],
    ['Block 1234 of chain 42161 is 0x1234.', [['text', 'Block 1,234 of chain 42161 is 0x1234.']]],
    [
      `seen at ${CREATED}.`,
      [
        ['text', 'seen at '],
        ['time', CREATED],
        ['text', '.'],
      ],
    ],
    [
      `run \`x --since ${CREATED}\``,
      [
        ['text', 'run '],
        ['code', `x --since ${CREATED}`],
      ],
    ],
  ])('is parted: %s', (sentence, parts) => {
    expect(partsOf(sentence).map(({ kind, text }) => [kind, text])).toEqual(parts);
  });
});

describe('an address', () => {
  it('is shortened in the middle, and looked up on its own chain', () => {
    expect(shortened('0x9f8e7d6c5b4a39281706f5e4d3c2b1a098765432')).toBe('0x9f8e7d6c…98765432');
    expect(explorerUrl(792703809, 'transaction', 'a/b')).toBe('https://solscan.io/tx/a%2Fb');
    expect(explorerUrl(2100000145, 'transaction', 'ab')).toBe(
      'https://blockchair.com/bitcoin-cash/transaction/ab',
    );
    expect(explorerUrl(5, 'address', '0x1')).toBeNull();
  });
});

describe('the filters in an address', () => {
  it('come back as they were, a repeated one as a list', () => {
    const search = { search: 'A-17', status: ['FAILED', 'EXPIRED'], late: 'true' };
    expect(readPaymentsSearch(parseSearch(stringifySearch(search)))).toEqual(search);
  });

  it('leave out what the list does not know', () => {
    expect(readPaymentsSearch(parseSearch('?status=PAID&late=maybe&last=9y&other=1'))).toEqual({});
  });
});

describe('what a role may do', () => {
  it('is the same on the pages as at the API', () => {
    for (const role of ROLES)
      for (const right of ['submit', 'refresh', 'inspect', 'repair', 'manage'] as const)
        expect([role, right, mayUse(role, right)]).toEqual([
          role,
          right,
          (ACCESS[right] as readonly string[]).includes(role),
        ]);
  });

  it('is explained where it may not', () => {
    expect(refusalFor('viewer', 'repair')).toBe(
      'Needs the role operator or admin; you are signed in as viewer.',
    );
  });
});

describe('the button of a card', () => {
  const names = new Map([['e1', 'shop EU']]);

  it.each([
    ['/api/payments?attention=payments_late', '/payments', { attention: 'payments_late' }, 'Show them'],
    ['/api/webhook-deliveries?state=failed', '/deliveries', { state: 'failed' }, 'Show them'],
    ['/api/webhook-endpoints', '/endpoints', {}, 'Go to Endpoints'],
    ['/api/destinations', '/endpoints', {}, 'Go to Endpoints'],
    ['/api/destinations/rabbitmq', '/endpoints/$endpointId', {}, 'Go to RabbitMQ'],
    ['/api/destinations/e1', '/endpoints/$endpointId', {}, 'Go to shop EU'],
    ['/api/destinations/gone', '/endpoints/$endpointId', {}, 'Go to the endpoint'],
    ['/api/provider', '/provider', {}, 'Go to Provider'],
    ['/api/provider?name=relay', '/provider', { name: 'relay' }, 'Go to Provider'],
    ['/api/unanswered-quotes?tracked=false', '/provider', {}, 'Go to Provider'],
    ['/health/ready', '/system', {}, 'Go to System'],
    ['/api/attention', '/system', {}, 'Go to System'],
  ])('for %s leads to %s with %j and says “%s”', (href, to, search, label) => {
    const link = screenOf(href);
    expect([link.to, link.search, labelOf(link, names)]).toEqual([to, search, label]);
  });
});

describe('the number on the badge', () => {
  it.each([
    [0, false, [], null],
    [1, false, ['bad', 'bad'], '1 payment needs a person'],
    [10_000, true, ['bad'], '10,000+ payments need a person'],
    [0, false, ['bad', 'warn'], '1 thing needs a person'],
    [0, false, ['bad', 'bad'], '2 things need a person'],
    [0, false, ['warn', 'warn'], null],
  ])('with %d payments (more: %s) and items %j says “%s”', (count, isMore, severities, words) => {
    const items = severities.map((severity) => ({ code: 'broker_away', severity }));
    const needed = neededOf({ payments: { count, isMore }, items: items as never });
    expect(needed && `${needed.shown} ${needed.what}`).toBe(words);
  });
});

describe('the receivers beside a delivery', () => {
  it('come with a command that installs every package that the one in Node imports', () => {
    const page = readFileSync(new URL('../../docs/using/verifying-webhooks.md', import.meta.url), 'utf8');
    const node = receiversOf(page).find(({ language }) => language === 'Node');
    const imported = [...(node?.program ?? '').matchAll(/ from '([^'.:]+)'/g)].map(([, name]) => name);
    expect(imported).not.toEqual([]);
    expect(node?.install?.split(' ')).toEqual(expect.arrayContaining(imported));
  });
});

describe('the audit log on its page', () => {
  it('has words for each action that docs/running/access.md lists', () => {
    const docs = readFileSync(new URL('../../docs/running/access.md', import.meta.url), 'utf8');
    const [, rows = ''] = docs.split(/^\| `action` .*\n/m);
    const table = rows.slice(0, rows.search(/\n\n/));
    const listed = table
      .split('\n')
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+\.\w+)`/g)]);
    expect(listed.map(([, action]) => action ?? '').toSorted()).toEqual(ACTIONS.toSorted());
  });
});

describe('the sentence about an order', () => {
  it.each([
    [0, 0, null, 'Not paid, and no payment is open.'],
    [0, 1, null, 'Not paid yet. 1 payment may still come.'],
    [1, 0, null, 'Paid.'],
    [1, 2, null, 'Paid. 2 payments may still come.'],
    [2, 0, null, 'Paid 2 times: give back what is too much, and resolve it as a duplicate.'],
    [60, 40, 'next', 'Of the newest 100 payments, 60 completed and 40 are open.'],
  ])('with %d completed and %d open is plain', (completed, open, nextCursor, words) => {
    const payments = Array.from({ length: completed + open });
    const order = { payments, completed: payments.slice(open), open: payments.slice(completed), nextCursor };
    expect(sayOrder(order)).toBe(words);
  });
});
