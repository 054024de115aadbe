import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { completedOutput } from '../../src/domain/payment/completed-output.ts';
import {
  anomaliesOf,
  NOTHING_SHOWN,
  outcomeOf,
  readAnomalies,
  type OutcomeFacts,
} from '../../src/domain/payment/outcome.ts';

/** The payer sent the requested 100; the quote promised at least 97. */
const NOTHING: OutcomeFacts = { ...NOTHING_SHOWN, promised: 97n, asked: 100n, deposited: 100n };
const TRANSFER = { transactions: ['0x1'], arrived: 98n };

const shown = fc.record({
  word: fc.constantFrom('success' as const, 'failure' as const),
  transactions: fc.array(fc.constantFrom('0x1', '0x2'), { maxLength: 2 }),
  arrived: fc.option(fc.bigInt(0n, 200n)),
  promised: fc.option(fc.bigInt(0n, 200n)),
  returned: fc.option(fc.bigInt(0n, 200n)),
  asked: fc.bigInt(1n, 200n),
  deposited: fc.option(fc.bigInt(0n, 300n)),
  isUnfinished: fc.boolean(),
});

/** A COMPLETED from Base, to Arbitrum or another chain. */
const reportOf = (parts: object, toChainId = 42161): string =>
  JSON.stringify({
    status: 'COMPLETED',
    route: { from: { chainId: 8453 }, to: { chainId: toChainId } },
    ...parts,
  });

describe('the end of a payment, by what a provider shows', () => {
  it.each<
    [
      what: string,
      facts: Partial<OutcomeFacts>,
      status: string | null,
      by: string | null,
      anomalies: string[],
    ]
  >([
    ['the word alone', {}, null, null, []],
    ['a transfer and its amount', TRANSFER, 'COMPLETED', 'transaction', []],
    ['a transfer without an amount', { transactions: ['0x1'] }, 'COMPLETED', 'transaction', []],
    ['an amount without a transfer', { arrived: 98n }, 'COMPLETED', 'amount', []],
    ['an amount of nothing', { arrived: 0n }, null, null, []],
    ['less than promised', { ...TRANSFER, arrived: 96n }, 'COMPLETED', 'transaction', ['short_output']],
    ['less, of no known promise', { arrived: 1n, promised: null }, 'COMPLETED', 'amount', []],
    ['everything back', { returned: 99n }, 'FAILED', null, []],
    ['an unknown amount back', { returned: null }, 'FAILED', null, []],
    [
      'a part, and a part back',
      { ...TRANSFER, returned: 39n },
      'COMPLETED',
      'transaction',
      ['partly_refunded'],
    ],
    [
      'an output, and an unknown amount back',
      { ...TRANSFER, returned: null },
      'COMPLETED',
      'transaction',
      ['partly_refunded'],
    ],
    ['an output, and dust back', { ...TRANSFER, returned: 1n }, 'COMPLETED', 'transaction', []],
    [
      'an output, and the excess back',
      { ...TRANSFER, returned: 20n, deposited: 120n },
      'COMPLETED',
      'transaction',
      [],
    ],
    [
      'a part, and the excess back',
      { ...TRANSFER, arrived: 1n, returned: 20n, deposited: 120n },
      'COMPLETED',
      'transaction',
      ['partly_refunded', 'short_output'],
    ],
    ['a failure', { word: 'failure' }, 'FAILED', null, []],
    ['the excess back', { returned: 20n, deposited: 120n }, null, null, []],
    ['dust that came, and is back', { returned: 1n, deposited: 1n }, 'FAILED', null, []],
    ['half back beside an output that is named', { returned: 50n, isUnfinished: true }, null, null, []],
    ['all but fees back beside one', { returned: 95n, isUnfinished: true }, 'FAILED', null, []],
    ['a failure, and everything back', { word: 'failure', returned: 99n }, 'FAILED', null, []],
    [
      'a failure beside an output',
      { ...TRANSFER, word: 'failure' },
      'COMPLETED',
      'transaction',
      ['contradictory_output'],
    ],
    [
      'a failure beside a part, and a part back',
      { ...TRANSFER, word: 'failure', returned: 39n },
      'COMPLETED',
      'transaction',
      ['partly_refunded', 'contradictory_output'],
    ],
  ])('%s', (_what, facts, status, by, anomalies) => {
    expect(outcomeOf({ ...NOTHING, ...facts })).toEqual({ status, by, anomalies });
  });

  it('is never COMPLETED without an output', () => {
    fc.assert(
      fc.property(shown, (facts) => {
        const { status, by } = outcomeOf(facts);
        const hasOutput = facts.transactions.length > 0 || (facts.arrived ?? 0n) > 0n;
        if (status === 'COMPLETED') expect(hasOutput).toBe(true);
        expect(by === null).toBe(status !== 'COMPLETED');
      }),
    );
  });

  it('stands in a report as words for what is odd, and other words say nothing', () => {
    const outcome = outcomeOf({ ...NOTHING, ...TRANSFER, arrived: 1n });
    expect(readAnomalies(anomaliesOf(outcome).anomalies)).toEqual(['short_output']);
    for (const other of [['went_back'], 'short_output', null, undefined, 7, {}])
      expect(readAnomalies(other)).toEqual([]);
  });
});

describe('the output of a completed payment', () => {
  const textOf = (execution: unknown, status = 'COMPLETED'): string => JSON.stringify({ status, execution });

  it.each([
    ['no report', null, null],
    ['another status', textOf({}, 'EXECUTING'), null],
    ['the word alone', textOf(null), { by: 'word', transactions: [], amount: null, token: null }],
    [
      "a specification's report",
      textOf({ outputTxHash: '0x1', completedBy: 'magic', steps: 'many', output: { amount: 1 } }),
      { by: 'word', transactions: ['0x1'], amount: null, token: null },
    ],
    [
      'all that an adapter of ours says',
      textOf({
        outputTxHash: '0x2',
        completedBy: 'transaction',
        output: { amount: '24.9', token: '0xa' },
        steps: [
          { type: 'deposit', txHash: '0x0' },
          { type: 'fill', txHash: '0x1' },
          { type: 'fill', txHash: '0x9', status: 'failure' },
          { type: 'fill', txHash: '0x2' },
        ],
      }),
      { by: 'transaction', transactions: ['0x1', '0x2'], amount: '24.9', token: '0xa' },
    ],
    [
      "a report whose output has the deposit's hash in other letters",
      reportOf({
        deposit: { txHash: `0x${'ab'.repeat(32)}` },
        execution: { outputTxHash: `0x${'AB'.repeat(32)}` },
      }),
      { by: 'word', transactions: [], amount: null, token: null },
    ],
    [
      "a report with the deposit's hash on one chain",
      reportOf({ deposit: { txHash: '0x1' }, execution: { outputTxHash: '0x1' } }, 8453),
      { by: 'word', transactions: ['0x1'], amount: null, token: null },
    ],
    [
      'a report that names a transaction in two spellings, and the largest amount',
      reportOf({
        execution: {
          outputTxHash: `0x${'AB'.repeat(32)}`,
          steps: [{ type: 'fill', txHash: `0x${'ab'.repeat(32)}` }],
          output: { amount: '9'.repeat(78) },
        },
      }),
      { by: 'word', transactions: [`0x${'ab'.repeat(32)}`], amount: '9'.repeat(78), token: null },
    ],
  ])('is read from %s', (_what, text, expected) => {
    expect(completedOutput(text)).toEqual(expected);
  });
});
