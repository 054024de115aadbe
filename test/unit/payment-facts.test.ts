import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import {
  isFinal,
  isPaid,
  isWatched,
  judgeMove,
  STATUSES,
  type Status,
} from '../../src/domain/payment/status.ts';
import { readReport, type Report } from '../../src/domain/payment/report.ts';
import {
  newPayment,
  numberIn,
  PAYMENT_FIELDS,
  STALL_REASONS,
  TRACKINGS,
  type Payment,
} from '../../src/domain/payment/payment.ts';
import { addressKey } from '../../src/domain/chains/address-key.ts';
import {
  endpointStateOf,
  isNamedAsRefusing,
  type EndpointFacts,
} from '../../src/domain/delivery/endpoint-state.ts';
import { applyReport } from '../../src/domain/transitions/apply-report.ts';
import { isNote, resolve, type Settlement } from '../../src/domain/transitions/resolve.ts';
import { isOrderId, metadataFault } from '../../src/domain/payment/order-fields.ts';
import { isFound, isSearch, readSearch } from '../../src/domain/payment/search.ts';
import { relabel, renamesCompleted } from '../../src/domain/transitions/relabel.ts';

const DATABASE = new URL('../../src/database/', import.meta.url);

describe('the statuses', () => {
  it('are written out in no statement of SQL: the table alone says which of them are final', async () => {
    const files = (await readdir(DATABASE, { recursive: true })).filter((file) => /\.(sql|ts)$/.test(file));
    const texts = await Promise.all(files.map((file) => readFile(new URL(file, DATABASE), 'utf8')));
    const named = files.filter((_file, index) =>
      STATUSES.some((status) => texts[index]?.includes(`'${status}'`)),
    );
    expect(files).toContain('functions/record_polls.sql');
    expect(named).toEqual([]);
  });

  it('say that a deposit came, but for the two that still wait for one', () => {
    expect(STATUSES.filter((status) => !isPaid(status))).toEqual(['AWAITING_DEPOSIT', 'EXPIRED']);
  });

  it('move nowhere from a final one, and on from every other one', () => {
    for (const from of STATUSES) {
      const moves = STATUSES.filter((to) => to !== from).map((to) => judgeMove(from, to));
      if (isFinal(from)) expect(new Set(moves)).toEqual(new Set(['after_completed']));
      else expect(moves).toContain(isWatched(from) ? 'late' : 'forward');
    }
  });
});

describe('the digests of a report', () => {
  const deposit = { txHash: '0xabc', amount: '1.50', from: { wallet: 'w', chain: 'base' } };
  const text = JSON.stringify({ quoteId: 'q', status: 'EXECUTING', deposit });

  it('are those that releases store: another one would publish a change of every payment', () => {
    const report = readReport(JSON.parse(text), text);
    expect(report?.digest).toBe('X6ntLs2L0NkBY55u');
    expect(report?.partDigests).toEqual({ deposit: 'yS17S4LqZtlVU/jS' });
  });

  it('of a long text are computed when it is read, and are the same', () => {
    const padded = (length: number): string => text.padEnd(length);
    const digests = [4_096, 4_097].map((length) => readReport(JSON.parse(text), padded(length))?.partDigests);
    expect(digests[0]).toEqual(digests[1]);
  });
});

const T0 = new Date('2026-11-20T12:00:00.000Z');
const NEW = newPayment(
  { quoteId: 'q', provider: 'http', orderId: 'A-1', metadata: null, expiresAt: null, expectedMs: null },
  T0,
);

describe('a new payment', () => {
  it('has no event, no report and no stall, in the epoch before any loss', () => {
    expect(NEW).toEqual({
      quoteId: 'q',
      provider: 'http',
      orderId: 'A-1',
      metadata: null,
      expiresAt: null,
      expectedMs: null,
      status: 'AWAITING_DEPOSIT',
      late: false,
      sequence: 0,
      epoch: 0,
      previousSequence: null,
      tracking: 'active',
      createdAt: T0,
      progressAt: T0,
      endedAt: null,
      partDigests: {
        deposit: '',
        gas: '',
        execution: '',
        error: '',
        address: '',
        noiseToldAt: 0,
        depositTimes: '',
        executionTimes: '',
      },
      reportDigest: '',
      stalls: [],
      contradictions: [],
      resolution: null,
      traceparent: null,
      match: null,
      quoteText: null,
    });
  });

  it('is stored with every field but the one that follows from its epoch, and its quote', () => {
    const others = ['previousSequence', 'quoteText'] as const;
    expect([...PAYMENT_FIELDS, ...others].sort()).toEqual(Object.keys(NEW).sort());
    for (const other of others) expect(PAYMENT_FIELDS).not.toContain(other);
  });

  it('has one of the words that the API names', () => {
    expect(TRACKINGS).toEqual(['active', 'watching', 'closed']);
    expect(STALL_REASONS).toEqual(['no_progress', 'provider_silent', 'unverified']);
  });
});

describe('the numbers of a payment after the database went back', () => {
  const kept = { ...NEW, sequence: 3, epoch: 2 };

  it('go on after a hundred for each epoch, and name the last number that was kept', () => {
    expect(numberIn(7, kept)).toEqual({ ...kept, epoch: 7, sequence: 700, previousSequence: 3 });
  });

  it('stay as they are in the epoch that the payment has reached, and in an earlier one', () => {
    expect(numberIn(2, kept)).toBe(kept);
    expect(numberIn(1, kept)).toBe(kept);
  });
});

const EVM = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';

describe('the key of an address', () => {
  it('is the same for an EVM address in any case', () => {
    expect(addressKey(EVM)).toBe(EVM.toLowerCase());
    expect(addressKey(EVM.toUpperCase())).toBe(EVM.toLowerCase());
  });

  it('is the same for a Tron address in base58 and by its bytes', () => {
    const bytes = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';
    const written = ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', bytes, `0x${bytes.toUpperCase()}`, bytes.slice(2)];
    expect(new Set(written.map(addressKey)).size).toBe(1);
  });

  it('is the same for all ways to write an account of TON', () => {
    const written = [
      'EQCfiz9eGixNboCRorPE1eb3CBcmNURTYnGAn64NvMva7+jK',
      'EQCfiz9eGixNboCRorPE1eb3CBcmNURTYnGAn64NvMva7-jK',
      'UQCfiz9eGixNboCRorPE1eb3CBcmNURTYnGAn64NvMva77UP',
      '0:9F8B3F5E1A2C4D6E8091A2B3C4D5E6F70817263544536271809FAE0DBCCBDAEF',
    ];
    expect(new Set(written.map(addressKey)).size).toBe(1);
    const masterchain = 'Uf-fiz9eGixNboCRorPE1eb3CBcmNURTYnGAn64NvMva70pH';
    expect(addressKey(masterchain)).toBe(addressKey(written[3]?.replace('0:', '-1:') ?? ''));
  });

  it.each([
    [
      'Bitcoin Cash',
      [
        'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
        'QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A',
        '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu',
      ],
    ],
    [
      'a long script hash of Bitcoin Cash',
      ['', 'bitcoincash:'].map(
        (prefix) => `${prefix}pvqqqqqqqqqqqqqqqqqqqqqqzg69v7ysqqqqqqqqqqqqqqqqqqqqqpkp7fqn0`,
      ),
    ],
    ['Litecoin', ['MJaRnao1s62a2zAKSkmG582KbLKianqb7v', '3CNHUhP3uyB9EUtRLsmvFUmvGdjGdkTxJw']],
  ])('is the same for the older and the newer forms of %s', (_what, written) => {
    expect(new Set(written.map(addressKey)).size).toBe(1);
  });

  it.each([
    ['bech32 of Litecoin', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
    ['bech32', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
    ['bech32m', 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'],
    ['32 bytes in hexadecimal digits', `0x${'0a'.repeat(32)}`],
  ])('is the same for %s in capital letters, as a QR code has them', (_what, address) => {
    expect(addressKey(address.toUpperCase())).toBe(addressKey(address));
  });

  it.each([
    ['a Bitcoin address of base58', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'],
    ['a mistyped address of Bitcoin Cash', 'qpm3qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'],
    ['a mistyped address of Litecoin', 'MJaRnao1s62a2zAKSkmG582KbLKianqb7V'],
    ['a mistyped Tron address', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T'],
    ['a mistyped address of TON', 'UQCfiz9eGixNboCRorPE1eb3CBcmNURTYnGAn64NvMva77UQ'],
    ['an address of a test network of TON', 'kQCfiz9eGixNboCRorPE1eb3CBcmNURTYnGAn64NvMva71NA'],
    ['a base58 address', 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy'],
    ['more digits than an EVM address has', `${EVM}Cd`],
    ['an EVM address within a text', `ethereum:${EVM}`],
  ])('is as it is written for %s', (_what, address) => {
    expect(addressKey(address)).toBe(address);
  });
});

const at = (second: number): Date => new Date(second * 1_000);
const WELL: EndpointFacts = {
  enabled: true,
  circuit: 'closed',
  failingSince: null,
  refusedSince: null,
  lastDeliveredAt: at(100),
};

describe('the state of an endpoint', () => {
  it.each<[string, Partial<EndpointFacts>]>([
    ['ok', {}],
    ['ok', { lastDeliveredAt: null }],
    // Orders are refused, and another was taken after that.
    ['refusing', { refusedSince: at(90) }],
    // A payment that was first tried later fails too.
    ['failing', { refusedSince: at(90), failingSince: at(110) }],
    // A success that was settled at the same time as that failure.
    ['refusing', { refusedSince: at(90), failingSince: at(90) }],
    // Nothing was ever taken.
    ['failing', { refusedSince: at(110), failingSince: at(110), lastDeliveredAt: null }],
    ['failing', { refusedSince: at(110), lastDeliveredAt: null }],
    // The delivery was given up, and the destination has acknowledged nothing since.
    ['failing', { failingSince: at(110) }],
    ['open', { circuit: 'open', refusedSince: at(90), failingSince: at(110) }],
    ['recovering', { circuit: 'recovering', refusedSince: at(90) }],
    ['disabled', { enabled: false, circuit: 'open' }],
  ])('is %s with %j', (state, facts) => {
    expect(endpointStateOf({ ...WELL, ...facts })).toBe(state);
  });

  it.each<[string, number, Partial<EndpointFacts>]>([
    ['refuses others', 120, { refusedSince: at(90) }],
    [
      'refuses others, and one more for less than a minute',
      169,
      { refusedSince: at(90), failingSince: at(110) },
    ],
    ['-', 170, { refusedSince: at(90), failingSince: at(110) }],
    ['-', 120, { refusedSince: at(110), failingSince: at(110) }],
    ['-', 120, { circuit: 'open', refusedSince: at(90), failingSince: at(110) }],
    ['-', 120, {}],
  ])('names it as one that %s, at second %i with %j', (named, second, facts) => {
    expect(isNamedAsRefusing({ ...WELL, ...facts }, at(second))).toBe(named !== '-');
  });
});

describe('resolve', () => {
  const T0 = new Date('2026-11-20T12:00:00.000Z');
  const LATER = new Date('2026-11-20T12:05:00.000Z');
  const REFUNDED: Settlement = { reason: 'refunded', note: 'ticket 7', by: 'anna' };
  const RESOLVED = { ...REFUNDED, at: T0.toISOString() };
  const RULES = { stalledAfterMs: 900_000 };

  function payment(more: Partial<Payment> = {}): Payment {
    const fresh = newPayment(
      { quoteId: 'q', provider: 'http', orderId: 'A-1', metadata: null, expiresAt: null, expectedMs: null },
      T0,
    );
    return { ...fresh, sequence: 4, status: 'EXECUTING', stalls: ['no_progress'], ...more };
  }

  function report(said: object): Report {
    const text = JSON.stringify(said);
    const read = readReport(said, text);
    if (read === null) throw new Error('no report');
    return read;
  }

  describe('a resolution', () => {
    it('is published once, with the stored report, and moves nothing else', () => {
      const before = payment();
      const { payment: after, events, report: stored } = resolve(before, REFUNDED, T0);
      expect(after).toEqual({ ...before, sequence: 5, resolution: RESOLVED });
      expect(events).toEqual([
        {
          type: 'payment.updated',
          sequence: 5,
          status: 'EXECUTING',
          previousStatus: 'EXECUTING',
          late: false,
          reportText: undefined,
          resolution: RESOLVED,
        },
      ]);
      expect(stored).toBeNull();
    });

    it('that says the same again changes nothing, whoever says it and when', () => {
      const before = payment({ resolution: RESOLVED });
      expect(resolve(before, { ...REFUNDED, by: 'ben' }, LATER).events).toEqual([]);
      expect(resolve(before, { ...REFUNDED, by: 'ben' }, LATER).payment).toBe(before);
    });

    it.each<Partial<Settlement>>([{ reason: 'other' }, { note: null }, { note: 'ticket 8' }])(
      'is replaced by another one: %j',
      (other) => {
        const { payment: after, events } = resolve(
          payment({ resolution: RESOLVED }),
          { ...REFUNDED, by: 'ben', ...other },
          LATER,
        );
        const resolution = { ...REFUNDED, ...other, by: 'ben', at: LATER.toISOString() };
        expect([after.resolution, events]).toMatchObject([resolution, [{ sequence: 5, resolution }]]);
      },
    );

    it('is taken back once, which is published as null', () => {
      const { payment: after, events } = resolve(payment({ resolution: RESOLVED }), null, LATER);
      expect([after.resolution, events]).toMatchObject([null, [{ sequence: 5, resolution: null }]]);
      expect(resolve(after, null, LATER).events).toEqual([]);
    });

    it('ends with the next status, which says nothing of it', () => {
      const before = payment({ resolution: RESOLVED });
      const { payment: after, events } = applyReport(before, report({ status: 'COMPLETED' }), LATER, RULES);
      expect(after).toMatchObject({ status: 'COMPLETED', resolution: null });
      expect(events).toEqual([expect.not.objectContaining({ resolution: expect.anything() })]);
    });

    it.each<[string, object]>([
      ['a report that changes something else', { status: 'EXECUTING', deposit: { amount: '1' } }],
      ['a contradiction', { status: 'AWAITING_DEPOSIT' }],
      ['an unknown status', { status: 'PAUSED' }],
    ])('outlasts %s', (_what, said) => {
      const before = payment({ resolution: RESOLVED });
      expect(applyReport(before, report(said), LATER, RULES).payment.resolution).toEqual(RESOLVED);
    });
  });

  describe('the note of a resolution', () => {
    it.each(['x', 'Käse\n\tzwei', 'x'.repeat(500)])('may be %j', (note) => {
      expect(isNote(note)).toBe(true);
    });

    it.each(['', ' \n', 'x'.repeat(501), 'a\u0000b', 'a\u202eb', 'a\rb', '\ud800', 7, null])(
      'may not be %j',
      (note) => {
        expect(isNote(note)).toBe(false);
      },
    );
  });
});

const faultOf = (metadata: unknown): string | null => {
  const fault = metadataFault(metadata);
  return fault === null ? null : `${fault.key ?? 'metadata'} ${fault.message}`;
};

const entries = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));

describe('an order id', () => {
  it.each([['A-1'], ['x'.repeat(200)]])('may be %s', (orderId) => {
    expect(isOrderId(orderId)).toBe(true);
  });

  it.each([[''], [' '], ['\u3000\u00a0'], ['x'.repeat(201)], [5], [null], [['A-1']], ['A\n1']])(
    'may not be %j',
    (orderId) => {
      expect(isOrderId(orderId)).toBe(false);
    },
  );
});

describe('metadata', () => {
  it.each([
    ['nothing', {}],
    ['fifty entries', entries(50)],
    ['a key of 100 characters', { ['k'.repeat(100)]: 'v' }],
    ['an empty value', { k: '' }],
    ['a value of 500 characters', { k: 'v'.repeat(500) }],
    ['lines in a value', { k: 'one\n\ttwo' }],
    [
      'all of that in a script of three bytes a character',
      Object.fromEntries(
        Array.from({ length: 50 }, (_, n) => [`${n + 10}${'鍵'.repeat(98)}`, '値'.repeat(500)]),
      ),
    ],
  ])('may have %s', (_what, metadata) => {
    expect(faultOf(metadata)).toBeNull();
  });

  it.each([
    [null, 'metadata must be an object of string values'],
    ['text', 'metadata must be an object of string values'],
    [['v'], 'metadata must be an object of string values'],
    [entries(51), 'metadata must have at most 50 entries'],
    [{ '': 'v' }, ' must have a key of 1 to 100 characters'],
    [{ ['k'.repeat(101)]: 'v' }, `${'k'.repeat(100)} must have a key of 1 to 100 characters`],
    [{ 'a\n\u202eb': 'v' }, 'a?b must have a key without control characters'],
    [JSON.parse('{"__proto__":"v"}'), '__proto__ must have another key: this one is reserved'],
    [{ constructor: 'v' }, 'constructor must have another key: this one is reserved'],
    [{ prototype: 'v' }, 'prototype must have another key: this one is reserved'],
    [{ k: 5 }, 'k must be a string'],
    [{ good: 'v', k: 'v'.repeat(501) }, 'k must have at most 500 characters'],
    [{ k: 'a\0b' }, 'k must be text'],
    [{ k: 'a\ud800b' }, 'k must be text'],
  ])('may not be %j', (metadata, fault) => {
    expect(faultOf(metadata)).toBe(fault);
  });
});

const HASH = '0xAbCdEf0123456789aBcDeF0123456789abcdef0123456789abcdef0123456789';
const SOLANA = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const CASH = 'bitcoincash:qqrswpc8qurswpc8qurswpc8qurswpc8qutdt3aw7w';

const PAYMENT = {
  quoteId: '5AF8532c-5bf4-45c2-b099-1b36e96e91a3',
  orderId: 'A-1',
  quoteText: JSON.stringify({
    send: { depositAddress: SOLANA, amount: '1.04', chain: '8453' },
    receive: { estimatedAmount: '12480' },
    recipient: CASH,
  }),
  reportText: JSON.stringify({ execution: { txHash: HASH } }),
};

const finds = (text: string, payment: Partial<typeof PAYMENT> | { quoteText: null } = {}): boolean =>
  isFound(readSearch(text), { ...PAYMENT, ...payment });

describe('what may be searched for', () => {
  it.each([['A-1'], [' A-1 '], ['x'.repeat(200)]])('is %j', (text) => {
    expect(isSearch(text)).toBe(true);
  });

  it.each([[''], ['  '], ['x'.repeat(201)], ['a\nb'], [5], [null]])('is not %j', (text) => {
    expect(isSearch(text)).toBe(false);
  });
});

describe('a search', () => {
  it.each([
    ['the order id', 'A-1'],
    ['the order id between spaces', '  A-1\t'],
    ['the order id in another case', 'a-1'],
    ['a beginning of the order id', 'A-'],
    ['the amount that is sent', '1.04'],
    ['an amount with zeros at its end', '1.0400'],
    ['an amount as the pages write it', '12,480.00'],
    ['the quote id', PAYMENT.quoteId],
    ['the quote id in another case', PAYMENT.quoteId.toLowerCase()],
    ['a whole transaction', HASH],
    ['a transaction in another case', HASH.toUpperCase().replace('0X', '0x')],
    ['a transaction without 0x', HASH.slice(2)],
    ['a beginning of a transaction', HASH.slice(0, 8)],
    ['six digits of a transaction', HASH.slice(2, 8)],
    ['a whole base58 address', SOLANA],
    ['a beginning of a base58 address', SOLANA.slice(0, 8)],
    ['an address of Bitcoin Cash', CASH],
    ['an address of Bitcoin Cash without its prefix', CASH.slice(12)],
    ['a beginning of an address of Bitcoin Cash', CASH.slice(0, 20)],
  ])('finds %s', (_what, text) => {
    expect(finds(text)).toBe(true);
  });

  it.each([
    ['the end of the order id', '-1'],
    ['the beginning of an amount', '1.0'],
    ['an amount that differs in its last digit', '1.040000000000000001'],
    ['a number that is no amount', '8453'],
    ['an order id that goes on', 'A-11'],
    ['a part of the quote id', PAYMENT.quoteId.slice(0, 13)],
    ['the end of a transaction', HASH.slice(-12)],
    ['a transaction that goes on in another way', `${HASH.slice(0, 30)}ffff`],
    ['five digits of a transaction', HASH.slice(2, 7)],
    ['seven characters of a base58 address', SOLANA.slice(0, 7)],
    ['a base58 address in another case', SOLANA.toLowerCase()],
    ['the name of a field', 'depositAddress'],
    ['the prefix of an address', 'bitcoincash:'],
    ['a text that is no term', 'deposit address'],
  ])('does not find %s', (_what, text) => {
    expect(finds(text)).toBe(false);
  });

  it.each([
    ['German', 'Ünï-1', 'ünï'],
    ['German', 'Straße-7', 'STRASSE-7'],
    ['German', 'STRAẞE', 'straße'],
    ['in two characters', 'Ünï-1', 'u\u0308NI\u0308'],
    ['Turkish', 'İzmir', 'izm'],
    ['Turkish', 'ISI', 'ısı'],
    ['Turkish', 'çağrı-1', 'ÇAĞRI-'],
    ['Greek', 'ΟΔΟΣ', 'οδος'],
    ['Greek', 'ΟΔΟΣ-12', 'ΟΔΟΣ'],
    ['Cyrillic', 'Заказ-7', 'ЗАКАЗ'],
  ])('finds letters in any case: %s, %s by %s', (_script, orderId, text) => {
    expect(finds(text, { orderId })).toBe(true);
  });

  it('finds nothing in a quote or a report that is not there', () => {
    expect(finds(SOLANA, { quoteText: null })).toBe(false);
    expect(finds(HASH, { quoteText: null })).toBe(true);
  });

  it('asks the index for the first twelve characters', () => {
    expect(readSearch(HASH)).toMatchObject({ term: 'abcdef012345', isWholeTerm: true, isHex: true });
    expect(readSearch(HASH.slice(0, 14))).toMatchObject({ term: 'abcdef012345', isWholeTerm: true });
    expect(readSearch(HASH.slice(0, 13))).toMatchObject({ term: 'abcdef01234', isWholeTerm: false });
    expect(readSearch(SOLANA)).toMatchObject({ term: '7xkxtg2cw87d', isHex: false });
  });

  it('asks the index for nothing that would find too much, or that it does not have', () => {
    for (const text of ['abcde', '0xabcde', 'ordered', 'shop 2026 spring', 'commande-é-2026'])
      expect([text, readSearch(text).term]).toEqual([text, null]);
    expect(readSearch('abcdef').term).toBe('abcdef');
    expect(readSearch('order-17').term).toBe('order-17');
  });
});

describe('relabel', () => {
  const T0 = new Date('2026-11-20T12:00:00.000Z');
  const METADATA = { shop: 'eu', till: '7' };

  function payment(more: Partial<Payment> = {}): Payment {
    const fresh = newPayment(
      {
        quoteId: 'q',
        provider: 'http',
        orderId: 'A-1',
        metadata: METADATA,
        expiresAt: null,
        expectedMs: null,
      },
      T0,
    );
    return { ...fresh, sequence: 4, ...more };
  }

  describe('a new label', () => {
    it.each<[string, object, object]>([
      ['another order id', { orderId: 'A-2', metadata: null }, { orderId: 'A-2', metadata: METADATA }],
      ['other metadata', { orderId: null, metadata: { shop: 'us' } }, { metadata: { shop: 'us' } }],
      ['no metadata any more', { orderId: 'A-1', metadata: {} }, { orderId: 'A-1', metadata: {} }],
      [
        'another value',
        { orderId: null, metadata: { ...METADATA, till: '8' } },
        { metadata: { shop: 'eu', till: '8' } },
      ],
      [
        'another key',
        { orderId: null, metadata: { shop: 'eu', desk: '7' } },
        { metadata: { shop: 'eu', desk: '7' } },
      ],
      [
        'a key more',
        { orderId: null, metadata: { ...METADATA, x: '' } },
        { metadata: { ...METADATA, x: '' } },
      ],
    ])('is published once, with the stored report, and moves nothing else: %s', (_what, label, then) => {
      const before = payment({ status: 'EXECUTING', late: true, stalls: ['no_progress'] });
      const transition = relabel(before, label as Parameters<typeof relabel>[1]);
      expect(transition.payment).toEqual({ ...before, ...then, sequence: 5 });
      expect(transition.events).toEqual([
        {
          type: 'payment.updated',
          sequence: 5,
          status: 'EXECUTING',
          previousStatus: 'EXECUTING',
          late: true,
          reportText: undefined,
          ...('orderId' in then && then.orderId !== 'A-1' ? { previousOrderId: 'A-1' } : {}),
        },
      ]);
      expect(transition.report).toBeNull();
    });

    it.each<[Status, string | null, string | null, object, boolean]>([
      ['COMPLETED', null, 'A-1', { named: true }, false],
      ['COMPLETED', 'A-1', 'A-2', { previousOrderId: 'A-1' }, true],
      ['COMPLETED', 'A-1', 'A-1', {}, false],
      ['COMPLETED', 'A-1', null, {}, false],
      ['EXECUTING', null, 'A-1', {}, false],
      ['EXPIRED', 'A-1', 'A-2', { previousOrderId: 'A-1' }, false],
    ])('of a payment in %s that makes %p to %p says so', (status, before, orderId, said, isRenaming) => {
      const named = payment({ status, orderId: before, metadata: null });
      const label = { orderId, metadata: METADATA };
      const { named: isFirst, previousOrderId } = relabel(named, label).events[0] ?? {};
      expect(JSON.parse(JSON.stringify({ named: isFirst, previousOrderId }))).toEqual(said);
      expect(renamesCompleted(named, label)).toBe(isRenaming);
    });

    it.each<[string, object]>([
      ['nothing', { orderId: null, metadata: null }],
      ['the same', { orderId: 'A-1', metadata: { ...METADATA } }],
      ['the same in another order', { orderId: null, metadata: { till: '7', shop: 'eu' } }],
    ])('that says %s changes nothing', (_what, label) => {
      const before = payment();
      expect(relabel(before, label as Parameters<typeof relabel>[1])).toEqual({
        payment: before,
        events: [],
        report: null,
      });
    });

    it('changes nothing where there is no metadata, and none is given', () => {
      const before = payment({ metadata: null });
      expect(relabel(before, { orderId: 'A-1', metadata: null }).events).toEqual([]);
    });

    it('is one where there was only an order id', () => {
      const transition = relabel(payment({ metadata: null }), { orderId: null, metadata: METADATA });
      expect(transition.payment).toMatchObject({ orderId: 'A-1', metadata: METADATA, sequence: 5 });
    });

    it('is one where there was none', () => {
      const label = { orderId: 'A-1', metadata: {} };
      const transition = relabel(payment({ orderId: null, metadata: null }), label);
      expect(transition.payment).toMatchObject({ ...label, sequence: 5 });
    });
  });
});
