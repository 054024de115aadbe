import { movesOf, type Story } from '../../../tools/chainflip-stand-in/stories.ts';
import type { ChainflipWorld } from '../chainflip-world.ts';
import type { TamperingProxy } from '../tampering-proxy.ts';
import {
  changed,
  transportCases,
  withLaterTimes,
  type Case,
  type ProviderCases,
  type Seen,
} from './cases.ts';

const STATUS = /^\/v2\/swaps\//;
const EXPIRED_S = 310;
/** The time of two blocks of the state chain, after which no fallback can begin. */
const SETTLED_S = 13;

export function chainflipCases({ chainflip, clock }: ChainflipWorld, proxy: TamperingProxy): ProviderCases {
  const { lives } = chainflip;
  const story = (seen: Seen, name: Story): Case => ({
    seen,
    play: async ({ quote: { depositAddress }, poll }) => {
      for (const move of movesOf(name)) {
        await poll();
        move(lives, depositAddress, chainflip.channel(depositAddress));
        clock.pass(SETTLED_S);
      }
    },
  });
  /** A completed swap, in whose status `answer` has made a change. */
  const settledWith = (seen: Seen, change: (answer: Record<string, unknown>) => object): Case => ({
    seen,
    play: ({ quote: { depositAddress } }) => {
      lives.deposit(depositAddress);
      lives.settle(depositAddress);
      clock.pass(SETTLED_S);
      proxy.set(changed(STATUS, (body) => ({ ...body, ...change(body) })));
    },
  });
  return {
    'success without output, all refunded': story('refunded', 'the price was not met'),
    'success without output, nothing refunded': story('unknownWord', 'over without any egress'),
    'success, a part delivered and a part refunded': story(
      'partlyShort',
      'delivered in part, refunded in part',
    ),
    'success with an amount and no transaction': settledWith('byAmount', ({ swapEgress }) => ({
      swapEgress: { ...(swapEgress as object), txRef: undefined },
    })),
    'failure beside an output': settledWith('contradicted', () => ({ state: 'FAILED' })),
    "deposit's hash for the output's, on another chain": settledWith(
      'byAmount',
      ({ swapEgress, deposit }) => ({
        swapEgress: { ...(swapEgress as object), txRef: (deposit as Record<string, unknown>)['txRef'] },
      }),
    ),
    'refund after the success': {
      seen: 'afterCompleted',
      play: async ({ quote: { depositAddress }, poll }) => {
        lives.deposit(depositAddress);
        lives.settle(depositAddress);
        clock.pass(SETTLED_S);
        await poll();
        lives.fallBack(depositAddress);
        lives.sendFallback(depositAddress);
      },
    },
    'refund after the success, which is still said': {
      seen: 'afterCompleted',
      play: async ({ quote: { depositAddress }, poll }) => {
        lives.deposit(depositAddress);
        lives.settle(depositAddress);
        clock.pass(SETTLED_S);
        await poll();
        const refundEgress = { amount: '1000000', scheduledAt: 1 };
        proxy.set(changed(STATUS, (body) => ({ ...body, refundEgress })));
      },
    },
    'short deposit': story('deliveredShort', 'short'),
    'too large deposit': story('overpaid', 'over'),
    'several deposits': story('completed', 'a second deposit on the way'),
    'deposit after the deadline': {
      seen: 'lateCompleted',
      play: async ({ quote: { depositAddress }, poll }) => {
        clock.pass(EXPIRED_S);
        await poll();
        lives.deposit(depositAddress);
        await poll();
        lives.settle(depositAddress);
        clock.pass(SETTLED_S);
      },
    },
    'deposit that the provider does not see': { seen: 'hintRefused', play: () => clock.pass(EXPIRED_S) },
    memo: { cannot: 'its addresses have none' },
    'deposit address of another quote': {
      seen: 'notShown',
      before: ({ depositAddress }) => {
        chainflip.channels.reused = depositAddress;
      },
    },
    'other deposit address in a status': {
      seen: 'otherAddress',
      play: ({ quote: { depositAddress } }) => {
        lives.deposit(depositAddress);
        proxy.set(
          changed(STATUS, (body) => ({
            ...body,
            depositChannel: { ...(body['depositChannel'] as object), depositAddress: `0x${'66'.repeat(20)}` },
          })),
        );
      },
    },
    'bad signature of a quote': { cannot: 'it signs none; the price is checked in the quote' },
    'quote that differs from its request': {
      seen: 'notShown',
      before: () =>
        proxy.set((answer, path) =>
          path.startsWith('/v2/quote')
            ? { ...answer, body: answer.body.replaceAll('25500000', '25500001') }
            : answer,
        ),
    },
    'unknown word': story('unknownWord', 'an unknown word'),
    'known word in small letters': settledWith('unknownWord', () => ({ state: 'completed' })),
    'times that change at each answer': {
      seen: 'timesAlone',
      play: ({ quote: { depositAddress } }) => {
        lives.deposit(depositAddress);
        proxy.set(withLaterTimes(STATUS, /^(?:lastStatechainUpdateAt|scheduledAt|witnessedAt)$/));
      },
    },
    'one bad answer among several payments': {
      seen: 'othersGoOn',
      play: ({ quote: { depositAddress } }) =>
        proxy.set(changed(new RegExp(chainflip.channel(depositAddress).id), () => null)),
    },
    ...transportCases(STATUS, (tamper) => proxy.set(tamper), 'askedAfterLock'),
    'number instead of a string': {
      seen: 'unknownWord',
      play: ({ quote: { depositAddress } }) => {
        for (const move of movesOf('numbers instead of texts'))
          move(lives, depositAddress, chainflip.channel(depositAddress));
        clock.pass(SETTLED_S);
      },
    },
    'null instead of a list': {
      seen: 'completed',
      play: async ({ quote: { depositAddress } }) => {
        lives.deposit(depositAddress);
        lives.settle(depositAddress);
        clock.pass(SETTLED_S);
        proxy.set(changed(STATUS, (body) => ({ ...body, fees: null, brokers: null })));
      },
    },
  };
}
