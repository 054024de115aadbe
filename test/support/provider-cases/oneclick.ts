import type { Quote } from '../../../src/domain/payment/quote.ts';
import { movesOf, type Story } from '../../../tools/oneclick-stand-in/stories.ts';
import type { OneClickWorld } from '../oneclick-world.ts';
import type { TamperingProxy } from '../tampering-proxy.ts';
import {
  changed,
  transportCases,
  withLaterTimes,
  type Case,
  type ProviderCases,
  type Seen,
} from './cases.ts';

const STATUS = /^\/v0\/status\?/;
const QUOTE = /^\/v0\/quote$/;
const STELLAR = 2_100_000_148;
const NATIVE = `0x${'0'.repeat(40)}`;
const HALF = 2n;
/** The time after the deadline of a quote, which is later than its expiry. */
const PAST_DEADLINE_S = 7_200;

export function oneClickCases({ oneClick, clock }: OneClickWorld, proxy: TamperingProxy): ProviderCases {
  const { lives } = oneClick;
  const story = (seen: Seen, name: Story): Case => ({
    seen,
    play: async ({ quote: { depositAddress }, poll }) => {
      for (const move of movesOf(name)) {
        await poll();
        move(lives, depositAddress, oneClick.order(depositAddress));
      }
    },
  });
  type Answer = Record<string, unknown> & { readonly swapDetails: Record<string, unknown> };
  /** A completed swap, in whose status `answer` has made a change. */
  const settledWith = (seen: Seen, change: (answer: Answer) => object): Case => ({
    seen,
    play: ({ quote: { depositAddress } }) => {
      lives.deposit(depositAddress);
      lives.settle(depositAddress);
      proxy.set(changed(STATUS, (body) => ({ ...body, ...change(body as Answer) })));
    },
  });
  return {
    'success without output, all refunded': story('refunded', 'success without output, refunded'),
    'success without output, nothing refunded': story(
      'unknownWord',
      'success without output, nothing refunded',
    ),
    'success, a part delivered and a part refunded': {
      seen: 'partlyShort',
      play: ({ quote: { depositAddress } }) => {
        lives.deposit(depositAddress, oneClick.order(depositAddress).terms.amountIn * HALF);
        lives.succeed(depositAddress, { outRaw: 1n });
      },
    },
    'success with an amount and no transaction': settledWith('unknownWord', ({ swapDetails }) => ({
      swapDetails: { ...swapDetails, destinationChainTxHashes: [] },
    })),
    'failure beside an output': settledWith('contradicted', () => ({ status: 'FAILED' })),
    "deposit's hash for the output's, on another chain": settledWith('unknownWord', ({ swapDetails }) => ({
      swapDetails: { ...swapDetails, destinationChainTxHashes: swapDetails['originChainTxHashes'] },
    })),
    'refund after the success': {
      seen: 'afterCompleted',
      play: async ({ quote: { depositAddress }, poll }) => {
        lives.deposit(depositAddress);
        lives.settle(depositAddress);
        await poll();
        lives.refund(depositAddress, 'UNKNOWN');
      },
    },
    'refund after the success, which is still said': {
      seen: 'afterCompleted',
      play: async ({ quote: { depositAddress }, poll }) => {
        lives.deposit(depositAddress);
        lives.settle(depositAddress);
        await poll();
        const details = (body: object): object => ({ ...body, refundedAmount: '1000000' });
        proxy.set(
          changed(STATUS, (body) => ({ ...body, swapDetails: details(body['swapDetails'] as object) })),
        );
      },
    },
    'short deposit': story('underpaid', 'short, then refunded'),
    'too large deposit': story('overpaid', 'over'),
    'several deposits': story('completed', 'short, then topped up'),
    'deposit after the deadline': {
      seen: 'lateRefunded',
      play: async ({ quote: { depositAddress }, poll }) => {
        clock.pass(PAST_DEADLINE_S);
        await poll();
        lives.deposit(depositAddress);
        await poll();
        lives.settle(depositAddress);
      },
    },
    'deposit that the provider does not see': { seen: 'hintTaken', play: () => clock.pass(PAST_DEADLINE_S) },
    memo: {
      seen: 'memoInCapitals',
      request: { fromChainId: STELLAR, fromToken: NATIVE, amount: '500' },
    },
    'deposit address of another quote': {
      seen: 'notShown',
      before: ({ depositAddress }) => oneClick.reuse(depositAddress),
    },
    'other deposit address in a status': {
      seen: 'otherAddress',
      play: ({ quote: { depositAddress } }) => {
        lives.deposit(depositAddress);
        proxy.set(
          changed(STATUS, (body) => {
            const response = body['quoteResponse'] as Record<string, object>;
            const quote = { ...response['quote'], depositAddress: `0x${'66'.repeat(20)}` };
            return { ...body, quoteResponse: { ...response, quote } };
          }),
        );
      },
    },
    'bad signature of a quote': {
      seen: 'notShown',
      before: () =>
        proxy.set(changed(QUOTE, (body) => ({ ...body, signature: `ed25519:${'1'.repeat(64)}` }))),
    },
    'quote that differs from its request': {
      seen: 'notShown',
      before: () => oneClick.lie('another recipient', 1),
    },
    'unknown word': {
      seen: 'unknownWord',
      play: async ({ quote: { depositAddress } }) => {
        lives.deposit(depositAddress);
        lives.say(depositAddress, 'FAILED_EXECUTION');
      },
    },
    'known word in small letters': settledWith('unknownWord', () => ({ status: 'success' })),
    'times that change at each answer': {
      seen: 'timesAlone',
      play: ({ quote: { depositAddress } }) => {
        lives.deposit(depositAddress);
        proxy.set(withLaterTimes(STATUS, /^updatedAt$/));
      },
    },
    'one bad answer among several payments': {
      seen: 'othersGoOn',
      play: ({ quote }: { quote: Quote }) => proxy.set(changed(new RegExp(quote.depositAddress), () => null)),
    },
    ...transportCases(STATUS, (tamper) => proxy.set(tamper)),
    'number instead of a string': story('unknownWord', 'numbers instead of texts'),
    'null instead of a list': story('unknownWord', 'null instead of lists'),
  };
}
