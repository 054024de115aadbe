import { describe, expect, it } from '@jest/globals';

import {
  isWorthProof,
  promisedOutput,
  type ProvenTexts,
} from '../../../src/domain/payment/promised-output.ts';
import { CHAIN_ID, hashOf, quoteOf, RECIPIENT, statusOf, USDC } from '../../support/proof-texts.ts';

const CREATED_AT = new Date('2026-11-20T12:00:00.000Z');
const NATIVE = '0x0000000000000000000000000000000000000000';

function texts(receive: object = {}, more: Partial<ProvenTexts> = {}): ProvenTexts {
  return {
    quoteText: quoteOf('q-1', receive),
    reportText: statusOf('q-1', 'COMPLETED', hashOf(5)),
    createdAt: CREATED_AT,
    wasUnderWay: false,
    ...more,
  };
}

function leastOf(receive: object, toleranceBps = 100): unknown {
  const promised = promisedOutput(texts(receive), toleranceBps);
  return typeof promised === 'string' ? promised : promised.leastAmount;
}

describe('the promise of a quote', () => {
  it('is a transfer of the token to the recipient, in the transaction that the report names', () => {
    expect(promisedOutput(texts(), 100)).toEqual({
      chainId: CHAIN_ID,
      token: USDC,
      recipient: RECIPIENT,
      leastAmount: 24_900_000n,
      txHashes: [hashOf(5)],
      since: CREATED_AT,
    });
  });

  it.each([
    ['the minimum', {}, 24_900_000n],
    ['the minimum, whatever the tolerance', { minimumAmount: '25' }, 25_000_000n],
    ['the estimate less the tolerance', { minimumAmount: undefined }, 24_750_000n],
    ['digits of a number as they stand', { minimumAmount: undefined, estimatedAmount: 12.5 }, 12_375_000n],
    ['digits beyond the decimals are cut', { minimumAmount: '0.0000019' }, 1n],
    [
      'no float: 18 decimals',
      { minimumAmount: '1.000000000000000001', token: { address: USDC, decimals: 18 } },
      1_000_000_000_000_000_001n,
    ],
    ['no amount', { minimumAmount: undefined, estimatedAmount: undefined }, 'no_amount'],
    ['no decimals', { token: { address: USDC } }, 'no_amount'],
  ])('is at least: %s', (_what, receive, expected) => {
    expect(leastOf(receive)).toBe(expected);
  });

  it.each([
    NATIVE,
    '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
    '0x0000000000000000000000000000000000001010',
  ])('is of the native coin for %s', (address) => {
    expect(promisedOutput(texts({ token: { address, decimals: 18 } }), 0)).toMatchObject({ token: null });
  });

  it('names the fills of the chain too, each once, and never the deposit', () => {
    const report = JSON.parse(statusOf('q-1', 'COMPLETED', hashOf(5))) as { execution: { steps: object[] } };
    report.execution.steps = [
      { type: 'deposit', chainId: 10, txHash: hashOf(6) },
      { type: 'fill', chainId: CHAIN_ID, txHash: hashOf(5) },
      { type: 'fill', chainId: String(CHAIN_ID), txHash: hashOf(7) },
      { type: 'fill', chainId: CHAIN_ID, txHash: hashOf(8), status: 'failure' },
      { type: 'fill', chainId: 1, txHash: hashOf(9) },
    ];
    const promised = promisedOutput(texts({}, { reportText: JSON.stringify(report) }), 100);
    expect(promised).toMatchObject({ txHashes: [hashOf(5), hashOf(7)] });
  });

  it.each([
    ['no_chain', { quoteText: null, reportText: '{"status":"COMPLETED"}' }],
    ['no_amount', { quoteText: null }],
  ] as const)('is unknown: %s', (reason, more) => {
    expect(promisedOutput(texts({}, more), 100)).toBe(reason);
  });

  it('may be older than a payment that was adopted on its way, by the time of its quote', () => {
    const reportText = JSON.stringify({ status: 'COMPLETED', createdAt: CREATED_AT.getTime() / 1_000 - 600 });
    const quotedAt = new Date(CREATED_AT.getTime() - 600_000);
    expect(promisedOutput(texts({}, { reportText, wasUnderWay: true }), 1)).toMatchObject({
      since: quotedAt,
    });
    expect(promisedOutput(texts({}, { reportText }), 1)).toMatchObject({ since: CREATED_AT });
  });

  it.each([
    [hashOf(5), 30],
    [null, 1],
  ])(
    'may be older than its adoption where nothing says when it was quoted: of the hash %s by %d days',
    (hash, days) => {
      const reportText = statusOf('q-1', 'COMPLETED', hash);
      expect(promisedOutput(texts({}, { reportText, wasUnderWay: true }), 1)).toMatchObject({
        since: new Date(CREATED_AT.getTime() - days * 86_400_000),
      });
    },
  );
});

describe('VERIFY_FROM_USD', () => {
  it.each([
    ['25.00', true],
    ['25', true],
    ['25.000000000000000000001', false],
    ['25.01', false],
    ['100', false],
    ['3', true],
    ['0', true],
  ])('%s: a payment of 25.00 is proven: %s', (fromUsd, expected) => {
    expect(isWorthProof(quoteOf('q-1'), fromUsd)).toBe(expected);
  });

  it('has a payment proven whose quote has no figure', () => {
    expect(isWorthProof(quoteOf('q-1', { estimatedAmountUsd: undefined }), '1000')).toBe(true);
    expect(isWorthProof(quoteOf('q-1', { estimatedAmountUsd: '1e3' }), '1000')).toBe(true);
    expect(isWorthProof(null, '1000')).toBe(true);
  });
});
