import type { SandboxProvider } from '../../../src/providers/sandbox/sandbox-provider.ts';
import type { StandingClock } from '../oneclick-world.ts';
import type { ProviderCases } from './cases.ts';

const WHOLE = { cannot: 'its payer pays the whole amount, once' };
const NO_NETWORK = { cannot: 'it asks nobody' };
const NO_REFUND = { cannot: 'no story of it refunds' };
const EXPIRED_S = 310;
const STEP_S = 5;

export function sandboxCases(provider: SandboxProvider, clock: StandingClock): ProviderCases {
  return {
    'success without output, all refunded': NO_REFUND,
    'success without output, nothing refunded': { cannot: 'each completion has an output' },
    'success, a part delivered and a part refunded': NO_REFUND,
    'success with an amount and no transaction': { cannot: 'each completion has a transaction' },
    'failure beside an output': { cannot: 'no failure of it has an output' },
    "deposit's hash for the output's, on another chain": { cannot: 'each of its hashes is another' },
    'refund after the success': NO_REFUND,
    'refund after the success, which is still said': NO_REFUND,
    'short deposit': WHOLE,
    'too large deposit': WHOLE,
    'several deposits': WHOLE,
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
    'deposit that the provider does not see': { seen: 'hintRefused', play: () => clock.pass(EXPIRED_S) },
    memo: { cannot: 'no chain of it has memos' },
    'deposit address of another quote': { cannot: 'its addresses are made of the ids' },
    'other deposit address in a status': { cannot: 'its addresses are made of the ids' },
    'bad signature of a quote': { cannot: 'its quotes are not signed' },
    'word that nobody knows': {
      seen: 'unknownWord',
      request: { amount: '25.06' },
      play: async ({ quote, poll }) => {
        await provider.deposit(quote.quoteId);
        await poll();
        clock.pass(STEP_S);
      },
    },
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
