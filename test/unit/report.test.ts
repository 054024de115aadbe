import { describe, expect, it } from '@jest/globals';

import { readReport } from '../../src/domain/payment/report.ts';

describe('the digests of a report', () => {
  const deposit = { txHash: '0xabc', amount: '1.50', from: { wallet: 'w', chain: 'base' } };
  const text = JSON.stringify({ quoteId: 'q', status: 'EXECUTING', deposit });

  it('are those that releases store: another one would publish a change of every payment', () => {
    const report = readReport(JSON.parse(text), text);
    expect(report?.digest).toBe('X6ntLs2L0NkBY55u');
    expect(report?.partDigests).toEqual({ deposit: 'yS17S4LqZtlVU/jS' });
  });

  it('are the same whatever the order of the keys, and not the same for other values', () => {
    const turned = { from: { chain: 'base', wallet: 'w' }, amount: '1.50', txHash: '0xabc' };
    const digestOf = (part: unknown): string | undefined =>
      readReport({ status: 'EXECUTING', deposit: part }, '')?.partDigests.deposit;
    expect(digestOf(turned)).toBe(digestOf(deposit));
    expect(digestOf({ ...deposit, amount: '1.5' })).not.toBe(digestOf(deposit));
  });

  it('of a long text are computed when it is read, and are the same', () => {
    const padded = (length: number): string => text.padEnd(length);
    const digests = [4_096, 4_097].map((length) => readReport(JSON.parse(text), padded(length))?.partDigests);
    expect(digests[0]).toEqual(digests[1]);
  });
});
