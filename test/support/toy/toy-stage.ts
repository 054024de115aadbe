import { ProviderUnavailable } from '../../../src/ports/payment-provider.ts';
import { Connection } from '../../../src/providers/connection/provider-connection.ts';
import { QuoteStore } from '../../../src/providers/shared/quote-store.ts';
import { TcpProxy } from '../../../tools/testkit/tcp-proxy.ts';
import { openDataSource } from '../data-source.ts';
import { createTestDatabase } from '../database.ts';
import { StandingClock } from '../oneclick-world.ts';
import {
  changed,
  transportCases,
  type Case,
  type ProviderCases,
  type Seen,
} from '../provider-cases/cases.ts';
import { FAILING_FRACTION, type ProviderStage } from '../provider-stages.ts';
import { databaseOn } from '../stores.ts';
import { TamperingProxy } from '../tampering-proxy.ts';
import { ToyProvider } from './toy-provider.ts';
import { ToyService } from './toy-service.ts';

const KEY = 'key-of-the-stage';
const EXPIRED_S = 310;
const SWAP = /^\/swaps\//;

/** The toy provider on its stage: its folder and this file are all that a new provider needs. */
export async function openToy(): Promise<ProviderStage> {
  const database = await createTestDatabase();
  const queries = databaseOn(await openDataSource(database));
  const clock = new StandingClock();
  const toy = await ToyService.start(KEY);
  const tampering = await TamperingProxy.before(toy.url);
  const proxy = await TcpProxy.inFrontOf(tampering.url, 0);
  const [provider, stranger] = [KEY, 'key-of-a-stranger'].map((apiKey) => {
    const options = { baseUrl: proxy.through(tampering.url), apiKey, auth: 'x-api-key' as const };
    const link = new Connection({ ...options, timeoutMs: 5_000, maxConcurrency: 8 }, clock);
    return new ToyProvider(link, new QuoteStore<never>(queries, 'toy', 5_000), clock);
  });
  if (provider === undefined || stranger === undefined) throw new Error('each key has its provider');
  return {
    provider,
    stranger,
    awayError: ProviderUnavailable,
    refundsTo: null,
    pay: async ({ depositAddress }) => toy.pay(depositAddress),
    advance: ({ depositAddress, text }) => {
      const { send } = JSON.parse(text) as { send: { amount: string } };
      if (send.amount.endsWith(FAILING_FRACTION)) toy.sendBack(depositAddress);
      else toy.deliver(depositAddress);
    },
    expire: () => clock.pass(EXPIRED_S),
    cases: toyCases(toy, clock, tampering),
    calm: () => tampering.set(null),
    goAway: () => proxy.cut(),
    comeBack: () => proxy.heal(),
    close: async () => {
      await Promise.all([provider, stranger].map((each) => each.onApplicationShutdown()));
      await proxy.close();
      await tampering.close();
      await toy.close();
      await database.drop();
    },
  };
}

function toyCases(toy: ToyService, clock: StandingClock, proxy: TamperingProxy): ProviderCases {
  const lived = (seen: Seen, ...moves: ((address: string) => unknown)[]): Case => ({
    seen,
    play: async ({ quote: { depositAddress }, poll }) => {
      for (const [index, move] of moves.entries()) {
        if (index > 0) await poll();
        move(depositAddress);
      }
    },
  });
  const pay = (address: string): unknown => toy.pay(address);
  const deliver = (address: string): unknown => toy.deliver(address);
  return {
    'success without output, all refunded': lived('refunded', pay, (address) =>
      toy.sendBack(address, 'done'),
    ),
    'success without output, nothing refunded': lived('unknownWord', pay, (address) =>
      toy.move(address, { word: 'done' }),
    ),
    'success, a part delivered and a part refunded': { cannot: 'it delivers all or nothing' },
    'success with an amount and no transaction': { cannot: 'it says no amounts' },
    'failure beside an output': { cannot: 'its failures have no hash' },
    "deposit's hash for the output's, on another chain": { cannot: 'its hashes are made of the words' },
    'refund after the success': lived('afterCompleted', pay, deliver, (address) => toy.sendBack(address)),
    'refund after the success, which is still said': { cannot: 'it delivers all or nothing' },
    'short deposit': lived(
      'underpaid',
      (address) => toy.pay(address, '1'),
      (address) => toy.sendBack(address),
    ),
    'too large deposit': lived('overpaid', (address) => toy.pay(address, '99000000'), deliver),
    'several deposits': lived('completed', (address) => toy.pay(address, '1'), pay, deliver),
    'deposit after the deadline': lived('lateCompleted', () => clock.pass(EXPIRED_S), pay, deliver),
    'deposit that the provider does not see': lived('hintRefused', () => clock.pass(EXPIRED_S)),
    memo: { cannot: 'its addresses have none' },
    'deposit address of another quote': {
      seen: 'notShown',
      before: ({ depositAddress }) => (toy.nextAddress = depositAddress),
    },
    'other deposit address in a status': lived('otherAddress', pay, (address) =>
      toy.move(address, { address: `0x${'66'.repeat(20)}` }),
    ),
    'bad signature of a quote': { cannot: 'it signs none' },
    'quote that differs from its request': {
      seen: 'notShown',
      before: () => proxy.set(changed(/^\/swaps$/, (body) => ({ ...body, amount: '1' }))),
    },
    'unknown word': lived('unknownWord', (address) => toy.move(address, { word: 'teleported' })),
    'known word in small letters': { cannot: 'it passes on every word as it is' },
    'times that change at each answer': { cannot: 'its statuses have no times' },
    'one bad answer among several payments': {
      seen: 'othersGoOn',
      play: ({ quote }) => proxy.set(changed(new RegExp(quote.depositAddress), () => null)),
    },
    ...transportCases(SWAP, (tamper) => proxy.set(tamper)),
    'number instead of a string': lived('askedAgain', (address) => toy.move(address, { word: 7 })),
    'null instead of a list': { cannot: 'its statuses have no lists' },
  };
}
