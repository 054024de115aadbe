import { describe, expect, it } from '@jest/globals';
import { DIGITS_OF_STORY, STORIES_ON_CHAIN, storyOf } from '../../src/providers/sandbox/stories.ts';
import { readOrder } from '../../src/providers/sandbox/sandbox-order.ts';
import { buildQuote } from '../../src/providers/sandbox/sandbox-quote.ts';
import { responseAt, type SandboxPayment } from '../../src/providers/sandbox/sandbox-status.ts';
import { autopayAt, expiryOf } from '../../src/providers/sandbox/story-phase.ts';
import type { EventDraft } from '../../src/domain/event/event.ts';
import { endSecondOf, HINT_AT_S, StoryPlay, type PollOptions } from '../../tools/generate/story-play.ts';
import { playProven, type ProofMode } from '../../tools/generate/proven-play.ts';
import { readProofStories, readStories } from '../support/story-table.ts';

const STORIES = await readStories();
const ON_CHAIN = await readProofStories();

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
    // The delivery is on Solana, so that its id is a base58 signature of 64 bytes.
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
    quote: buildQuote(QUOTE_ID, order, speed, story),
    story,
    speed,
    createdAt: CREATED_AT,
    expiresAt: expiryOf(CREATED_AT, speed),
    depositedAt: autopayAt(story, CREATED_AT, speed),
    // The course depends on time alone, not on recorded reports.
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

describe('sandbox stories', () => {
  const SELDOM_S = 200;
  const SPEEDS = [1, 7.3, 50];

  describe('a story of the sandbox, as docs/running/sandbox.md shows it', () => {
    it('is chosen by its name, and by its digits', () => {
      expect(STORIES.map(({ amount }) => storyOf(amount))).toEqual(STORIES.map(({ name }) => name));
      const names = [...STORIES, ...ON_CHAIN].map(({ name }) => name);
      expect(names).toEqual([...DIGITS_OF_STORY.keys()]);
    });

    const cases = STORIES.flatMap((story) => SPEEDS.map((speed) => ({ ...story, speed })));

    it.each(cases)(
      '$amount at speed $speed comes at the stated seconds',
      ({ amount, words, seconds, speed }) => {
        const published = poll(paymentOf(amount, speed), everyS(amount, 1));
        expect(published.words).toEqual(words);
        // Instants are whole milliseconds, of which a faster speed has fewer, and each stage counts from the last one.
        const late = published.seconds.map((second, index) => second - (seconds[index] ?? 0));
        expect(late.filter((by) => by < 0 || by > 2)).toEqual([]);
      },
    );

    it.each(STORIES)('$amount is reported whole, whenever and however seldom it is polled', (story) => {
      for (const everySeconds of [7, 61, 150, 600, 5_000])
        for (const offsetS of [0, 5.5, 33, 4_000]) {
          const { words, seconds } = poll(
            paymentOf(story.amount, 7.3),
            everyS(story.amount, everySeconds, offsetS),
          );
          // With polls this rare, each stage is long enough for a stall.
          const isExact = everySeconds < SELDOM_S;
          const own = isExact ? words : words.filter(isNoStall);
          const due = isExact ? story.words : story.words.filter(isNoStall);
          expect({ everySeconds, offsetS, published: own }).toEqual({
            everySeconds,
            offsetS,
            published: due,
          });
          expect(seconds.every((second, index) => second >= (story.seconds[index] ?? 0))).toBe(true);
        }
    });

    it.each(STORIES)('$amount loses nothing of what was reported and not recorded', ({ amount, words }) => {
      let polls = 0;
      const published = poll(paymentOf(amount, 50), everyS(amount, 5), () => ({
        isRecorded: (polls += 1) % 3 === 0,
      }));
      expect(published.words).toEqual(words);
    });

    it('…05 is reported as one step from AWAITING_DEPOSIT to COMPLETED', () => {
      const { events } = poll(paymentOf('1.05', 1), everyS('1.05', 7));
      expect(events.at(-1)).toMatchObject({ status: 'COMPLETED', previousStatus: 'AWAITING_DEPOSIT' });
    });

    it('…04 stalls and completes although nobody polled for an hour after the deposit', () => {
      const late = [0, 21, 4_000, 4_005, 5_000, 9_000, 11_000].values();
      const { words } = poll(paymentOf('1.04', 1), () => late.next().value ?? null);
      expect(words).toEqual(['created', 'deposit_received', 'executing', 'stalled no_progress', 'completed']);
    });

    it('…08 answers 500 for exactly 60 s, after the deposit was seen and before the completion', () => {
      const { downAt } = poll(paymentOf('1.08', 1), everyS('1.08', 1));
      expect(downAt).toEqual(Array.from({ length: 60 }, (_, index) => 40 + index));
      for (const speed of SPEEDS)
        expect(poll(paymentOf('1.08', speed), everyS('1.08', 500)).downAt.length).toBeGreaterThanOrEqual(1);
    });

    const completing = STORIES.filter(({ words }) => words.some((word) => word.startsWith('completed')));

    it.each(completing)('$name completes when the deposit is made by hand', ({ amount }) => {
      const { words } = poll(byHand(amount, 100), everyS(amount, 5));
      expect(words.filter((word) => word.startsWith('completed'))).toHaveLength(1);
    });

    it.each(STORIES)('$amount says the same on a replica whose clock is behind', ({ amount, words }) => {
      let polls = 0;
      const published = poll(paymentOf(amount, 1), everyS(amount, 5), () => ({
        skewS: ((polls += 1) % 2) * -4,
      }));
      expect(published.words).toEqual(words);
    });
  });

  describe('a story of the chain that the sandbox plays', () => {
    const OBSERVED: Readonly<Record<string, string>> = {
      output_reorged: 'verified, anomaly output_reorged',
      proven_late: 'verified',
      unverified: '',
    };
    const UNSEEN = 'deposit_unseen_by_provider';
    const toldOf = async (name: string, mode: ProofMode, speed: number) => {
      const story = STORIES_ON_CHAIN.find((each) => each === name);
      if (story === undefined) throw new Error(`${name} is no story of the chain`);
      const { events, seconds } = await playProven(story, mode, speed);
      return { words: events.map(wordOf), seconds };
    };

    it.each(ON_CHAIN)(
      '$name has the events of the docs, at their seconds',
      async ({ name, words, seconds }) => {
        expect(await toldOf(name, 'require', 1)).toEqual({ words, seconds });
      },
    );

    it.each(ON_CHAIN.slice(-5))('$name is as fast as SANDBOX_SPEED', async ({ name, words, seconds }) => {
      const { words: told, seconds: at } = await toldOf(name, 'require', 50);
      expect(told).toEqual(words);
      const late = at.map((second, index) => second - (seconds[index] ?? 0));
      expect(late.filter((by) => by < 0 || by > 2)).toEqual([]);
    });

    it.each(ON_CHAIN.filter(({ name }) => name !== UNSEEN))(
      '$name completes at once where VERIFY is observe',
      async ({ name }) => {
        const shown = OBSERVED[name] ?? `anomaly ${name}`;
        const words = ['created', 'deposit_received', 'executing', 'completed', shown].filter(Boolean);
        expect((await toldOf(name, 'observe', 1)).words.join(', ')).toBe(words.join(', '));
      },
    );

    it.each(ON_CHAIN)('$name is plain without VERIFY', ({ name, amount }) => {
      const late = name === UNSEEN ? ' late' : '';
      const beginning = late === '' ? 'created' : 'created, expired';
      const { words } = poll(paymentOf(amount, 1), everyS(amount, 5));
      const rest = ['deposit_received', 'executing', 'completed'].map((word) => word + late);
      expect(words.join(', ')).toBe([beginning, ...rest].join(', '));
    });
  });

  describe('the last fraction digits choose the story', () => {
    it.each([
      ['25.01', 'fails'],
      ['0.000002', 'unpaid'],
      ['25.103', 'late'],
      ['25.04', 'keeps_executing'],
      ['25.05', 'skips_ahead'],
      ['25.06', 'unknown_status'],
      ['25.07', 'goes_back'],
      ['25.08', 'outage'],
      ['25', 'plain'],
      ['101', 'plain'],
      ['25.1', 'plain'],
      ['25.010', 'plain'],
      ['25.09', 'plain'],
      ['1.0', 'plain'],
      ['25.909', 'refunded'],
      ['0.000911', 'underpaid'],
      ['909.09', 'plain'],
      ['25.109', 'plain'],
      ['25.9090', 'plain'],
    ])('%s is %s', (amount, story) => {
      expect(storyOf(amount)).toBe(story);
    });
  });

  /** Polls at this interval, in the sandbox's seconds, until the story is over. */
  function everyS(amount: string, seconds: number, offsetS = 0): () => number | null {
    let next = offsetS - seconds;
    const untilS = endSecondOf(storyOf(amount)) + offsetS + 20 * seconds;
    return () => ((next += seconds) <= untilS ? next : null);
  }

  /** The tracker's view of the payment when it is polled at these seconds of the sandbox's time. */
  function poll(
    payment: SandboxPayment,
    nextS: () => number | null,
    optionsOf: () => PollOptions = () => ({}),
  ) {
    const play = new StoryPlay(payment);
    let isHinted = payment.story !== 'unseen_deposit';
    for (let second = nextS(); second !== null; second = nextS()) {
      const isDue = play.events.some(({ status }) => status === 'EXPIRED') && second >= HINT_AT_S;
      if (!isHinted && isDue) play.hint(second);
      isHinted ||= isDue;
      play.poll(second, optionsOf());
    }
    const { events, seconds, downAt } = play;
    expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1));
    return { events, seconds, downAt, words: events.map(wordOf) };
  }

  function isNoStall(word: string): boolean {
    return !word.startsWith('stalled');
  }

  function wordOf(event: EventDraft): string {
    const word = event.type.replace('payment.', '');
    return [word, event.reason, event.late ? 'late' : undefined]
      .filter((part) => part !== undefined)
      .join(' ');
  }
});
