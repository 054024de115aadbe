import { describe, expect, it } from '@jest/globals';

import { storyOf } from '../../src/providers/sandbox/stories.ts';
import { readOrder } from '../../src/providers/sandbox/sandbox-order.ts';
import { buildQuote } from '../../src/providers/sandbox/sandbox-quote.ts';
import { responseAt, type SandboxPayment } from '../../src/providers/sandbox/sandbox-status.ts';
import { autopayAt, expiryOf } from '../../src/providers/sandbox/story-phase.ts';

const CREATED_AT = new Date('2026-11-20T12:00:00.250Z');
const UNIX = 1_795_176_000;
const QUOTE_ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
const BASE_USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SOLANA_WALLET = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';
const EVM_HASH = /^0x[0-9a-f]{64}$/;
const NO_EXECUTION = { startedAt: null, completedAt: null, outputTxHash: null, steps: [] };

describe("the sandbox's time", () => {
  it.each([
    [0, 'AWAITING_DEPOSIT'],
    [19.99, 'AWAITING_DEPOSIT'],
    [20, 'DEPOSIT_RECEIVED'],
    [24.99, 'DEPOSIT_RECEIVED'],
    [25, 'EXECUTING'],
    [34.99, 'EXECUTING'],
    [35, 'COMPLETED'],
    [1_000_000, 'COMPLETED'],
  ])('%s s after a plain quote the status is %s, at any speed', (second, status) => {
    for (const speed of [1, 20, 50, 0.1]) expect(bodyOf('1.5', speed, second)['status']).toBe(status);
  });

  it.each([
    ['1.02', 299.99, 'AWAITING_DEPOSIT'],
    ['1.02', 300, 'EXPIRED'],
    ['1.02', 100_000, 'EXPIRED'],
    ['1.03', 359.99, 'EXPIRED'],
    ['1.03', 360, 'DEPOSIT_RECEIVED'],
    ['1.03', 375, 'COMPLETED'],
    ['1.01', 35, 'FAILED'],
    ['1.04', 3_624, 'EXECUTING'],
    ['1.04', 3_626, 'COMPLETED'],
    ['1.05', 34.9, 'AWAITING_DEPOSIT'],
    ['1.05', 35, 'COMPLETED'],
  ])('%s is after %s s %s', (amount, second, status) => {
    for (const speed of [1, 20]) expect(bodyOf(amount, speed, second)['status']).toBe(status);
  });

  it.each([
    [1, 300],
    [20, 15],
    [7, 43],
    [50, 6],
    [0.1, 3000],
  ])('at speed %s a quote and its status say that it expires in %s s', (speed, seconds) => {
    const { quote } = paymentOf('1.5', speed);
    const body = bodyOf('1.5', speed, 0);
    expect(quote.expiresIn).toBe(seconds);
    expect(body).toMatchObject({ createdAt: UNIX, expiresAt: UNIX + seconds });
  });
});

describe('a deposit made by hand', () => {
  it.each(['1.5', '1.02', '1.03'])('takes …%s to COMPLETED when it comes in time', (amount) => {
    const payment = byHand(amount, 100);
    const seen = [99, 100, 105, 115, 400].map((second) => statusOf(payment, second));
    expect(seen).toEqual(['AWAITING_DEPOSIT', 'DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED', 'COMPLETED']);
  });

  it.each(['1.5', '1.02', '1.03'])('gives …%s the late story when it comes after the expiry', (amount) => {
    const payment = byHand(amount, 330);
    const seen = [299, 300, 329, 330, 335, 345].map((second) => statusOf(payment, second));
    expect(seen).toEqual([
      'AWAITING_DEPOSIT',
      'EXPIRED',
      'EXPIRED',
      'DEPOSIT_RECEIVED',
      'EXECUTING',
      'COMPLETED',
    ]);
  });

  it('after the expiry stays unseen in …05 until it reads COMPLETED, never AWAITING_DEPOSIT again', () => {
    const seen = [300, 330, 344, 345].map((second) => statusOf(byHand('1.05', 330), second));
    expect(seen).toEqual(['EXPIRED', 'EXPIRED', 'EXPIRED', 'COMPLETED']);
  });

  it('just before the expiry is in time: the payment never reads EXPIRED', () => {
    for (const amount of ['1.5', '1.05']) {
      const seen = [296, 299, 300, 305, 311].map((second) => statusOf(byHand(amount, 295), second));
      expect(seen).not.toContain('EXPIRED');
      expect(seen.at(-1)).toBe('COMPLETED');
    }
  });
});

describe('the status object', () => {
  it('has every field of the spec and no deposit while nobody has paid', () => {
    const { quote } = paymentOf('25.5', 1);
    expect(bodyOf('25.5', 1, 10)).toEqual({
      success: true,
      quoteId: QUOTE_ID,
      status: 'AWAITING_DEPOSIT',
      createdAt: UNIX,
      expiresAt: UNIX + 300,
      depositAddress: quote.send.depositAddress,
      deposit: null,
      gas: null,
      execution: NO_EXECUTION,
      route: {
        from: { chainId: 8453, chainName: 'Base', token: BASE_USDC },
        to: { chainId: 792703809, chainName: 'Solana', token: SOLANA_USDC },
        amount: '25500000',
        recipient: SOLANA_WALLET,
      },
      error: null,
    });
  });

  it('shows the deposit in human-readable and in smallest units, and no execution before it starts', () => {
    const body = bodyOf('25.5', 1, 21);
    expect(body).toMatchObject({ gas: null, execution: NO_EXECUTION, error: null });
    expect(body['deposit']).toEqual({
      txHash: expect.stringMatching(EVM_HASH),
      from: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      amount: '25.5',
      amountRaw: '25500000',
      detectedAt: UNIX + 20,
    });
  });

  it('shows gas and open steps while executing, and the output once completed', () => {
    const executing = bodyOf('25.5', 1, 26);
    expect(executing['gas']).toEqual({ amount: '0.000001', usd: '0.003', currency: 'ETH' });
    expect(executing['execution']).toMatchObject({
      startedAt: UNIX + 25,
      completedAt: null,
      outputTxHash: null,
    });
    const completed = bodyOf('25.5', 1, 36)['execution'] as Record<string, unknown>;
    expect(completed).toMatchObject({ startedAt: UNIX + 25, completedAt: UNIX + 35 });
    // The delivery is on Solana: a base58 signature of 64 bytes.
    expect(completed['outputTxHash']).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/);
    expect(completed['steps']).toEqual([
      { id: 'swap', chainId: 8453, status: 'completed', txHash: expect.stringMatching(EVM_HASH) },
      { id: 'deliver', chainId: 792703809, status: 'completed', txHash: completed['outputTxHash'] },
    ]);
  });

  it('says why it failed and shows no output', () => {
    const body = bodyOf('25.01', 1, 36);
    expect(body['error']).toEqual(expect.stringContaining('reverted'));
    expect(body).toMatchObject({ status: 'FAILED', execution: { completedAt: null, outputTxHash: null } });
    expect(body['deposit']).not.toBeNull();
    expect(bodyOf('25.01', 1, 30)['error']).toBeNull();
  });

  it('of an expired payment names no deposit', () => {
    expect(bodyOf('25.02', 1, 301)).toMatchObject({ deposit: null, execution: NO_EXECUTION, error: null });
  });
});

function paymentOf(amount: string, speed: number): SandboxPayment {
  const order = readOrder({
    fromChainId: 8453,
    toChainId: 792703809,
    fromToken: BASE_USDC,
    toToken: SOLANA_USDC,
    amount,
    recipient: SOLANA_WALLET,
  });
  const story = storyOf(amount);
  return {
    quote: buildQuote(QUOTE_ID, order, speed),
    story,
    speed,
    createdAt: CREATED_AT,
    expiresAt: expiryOf(CREATED_AT, speed),
    depositedAt: autopayAt(story, CREATED_AT, speed),
    // By time alone: what each stage says, not who has seen it.
    reportedStages: null,
  };
}

function byHand(amount: string, depositSecond: number): SandboxPayment {
  return { ...paymentOf(amount, 1), depositedAt: after(depositSecond, 1) };
}

function bodyOf(amount: string, speed: number, second: number): Readonly<Record<string, unknown>> {
  const reply = responseAt(paymentOf(amount, speed), after(second, speed));
  if (reply.httpStatus !== 200) throw new Error(`the sandbox answered ${reply.httpStatus}`);
  return reply.body;
}

function statusOf(payment: SandboxPayment, second: number): unknown {
  const reply = responseAt(payment, after(second, payment.speed));
  return reply.httpStatus === 200 ? reply.body['status'] : reply.httpStatus;
}

function after(seconds: number, speed: number): Date {
  return new Date(CREATED_AT.getTime() + (seconds * 1000) / speed);
}
