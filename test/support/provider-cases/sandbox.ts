import type { SandboxProvider } from '../../../src/providers/sandbox/sandbox-provider.ts';
import { DIGITS_OF_STORY, type Story } from '../../../src/providers/sandbox/stories.ts';
import type { StandingClock } from '../oneclick-world.ts';
import type { Case, ProviderCases, Seen } from './cases.ts';

const NO_NETWORK = { cannot: 'no network' };
const EXPIRED_S = 310;
const STEP_S = 5;

export function sandboxCases(provider: SandboxProvider, clock: StandingClock): ProviderCases {
  /** Polls at the deposit, and after each of these times. */
  const told = (seen: Seen, story: Story, ...seconds: number[]): Case => ({
    seen,
    request: { amount: `25.${DIGITS_OF_STORY.get(story)}` },
    play: async ({ quote, poll }) => {
      await provider.deposit(quote.quoteId);
      for (const each of seconds) {
        await poll();
        clock.pass(each);
      }
    },
  });
  return {
    'success without output, all refunded': told('refunded', 'refunded', 5, 10),
    'success without output, nothing refunded': { cannot: 'each completion has an output' },
    'success, a part delivered and a part refunded': told('partly', 'partly_refunded', 5, 10),
    'success with an amount and no transaction': { cannot: 'each completion has a transaction' },
    'failure beside an output': { cannot: 'no failure of it has an output' },
    "deposit's hash for the output's, on another chain": { cannot: 'each of its hashes is another' },
    'refund after the success': told('afterCompleted', 'refund_after_success', 5, 10, 30),
    'refund after the success, which is still said': { cannot: 'it says FAILED of such a refund' },
    'short deposit': told('underpaid', 'underpaid_refunded', 15),
    'too large deposit': told('overpaid', 'overpaid', 5, 10),
    'several deposits': told('completed', 'two_deposits', 10, 5, 10),
    'deposit after the deadline': {
      seen: 'lateCompleted',
      play: async ({ quote, poll }) => {
        clock.pass(EXPIRED_S);
        await poll();
        await provider.deposit(quote.quoteId);
        for (let step = 0; step < 3; step += 1) {
          await poll();
          clock.pass(STEP_S);
        }
      },
    },
    'deposit that the provider does not see': told('hintTaken', 'unseen_deposit', EXPIRED_S),
    memo: told('memo', 'memo'),
    'deposit address of another quote': { cannot: 'its addresses are made of the ids' },
    'other deposit address in a status': told('otherAddress', 'other_address', 5, 15),
    'bad signature of a quote': { cannot: 'its quotes are not signed' },
    'quote that differs from its request': { cannot: 'it makes them of the request' },
    'unknown word': told('unknownWord', 'unknown_status', STEP_S),
    'known word in small letters': { cannot: 'its words are those of the specification' },
    'times that change at each answer': { cannot: 'its times are those of its story' },
    'one bad answer among several payments': NO_NETWORK,
    '429 with Retry-After': NO_NETWORK,
    '429 without Retry-After': NO_NETWORK,
    HTML: NO_NETWORK,
    'half a body': NO_NETWORK,
    'number instead of a string': NO_NETWORK,
    'null instead of a list': NO_NETWORK,
  };
}
