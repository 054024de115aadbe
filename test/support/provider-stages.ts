import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { HttpProvider } from '../../src/providers/http/http-provider.ts';
import { RelayApi } from '../../src/providers/relay/relay-api.ts';
import { RelayProvider } from '../../src/providers/relay/relay-provider.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import { RelayStore } from '../../src/providers/relay/quote/relay-store.ts';
import { SandboxProvider } from '../../src/providers/sandbox/sandbox-provider.ts';
import type { Quote } from '../../src/domain/payment/quote.ts';
import { ProviderUnavailable, type PaymentProvider } from '../../src/ports/payment-provider.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { openDataSource } from './data-source.ts';
import { createTestDatabase } from './database.ts';
import { newestSwap } from '../../tools/chainflip-stand-in/channel.ts';
import { USUAL } from '../../tools/chainflip-stand-in/limits.ts';
import { NO_LIMITS } from '../../tools/relay-stand-in/options.js';
import { RelayStandIn } from '../../tools/relay-stand-in/relay-stand-in.js';
import { openChainflipWorld } from './chainflip-world.ts';
import { openOneClickWorld, StandingClock } from './oneclick-world.ts';
import type { ProviderCases } from './provider-cases/cases.ts';
import { httpCases } from './provider-cases/http.ts';
import { chainflipCases } from './provider-cases/chainflip.ts';
import { oneClickCases } from './provider-cases/oneclick.ts';
import { relayCases } from './provider-cases/relay.ts';
import { sandboxCases } from './provider-cases/sandbox.ts';
import { SharedProcess } from './shared-process.ts';
import { databaseOn } from './stores.ts';
import { TamperingProxy } from './tampering-proxy.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';

type Json = Readonly<Record<string, unknown>>;

/** A payment whose amount ends with these digits fails once it is paid; every other one completes. */
export const FAILING_FRACTION = '.01';

/**
 * A provider and the service that it asks, which the test moves. Each service knows USDC on its origin chain and on Arbitrum.
 */
export interface ProviderStage {
  readonly provider: PaymentProvider;
  /** The same service asked with a wrong key; null where there is no key. */
  readonly stranger: PaymentProvider | null;
  /** The error of creating a quote while the provider is away. */
  readonly awayError: typeof ProviderUnavailable | typeof StoreUnavailable;
  /** The wallet that the provider got for refunds; null where the provider takes none. */
  readonly refundsTo: ((quote: Quote) => unknown) | null;
  /** Pays the amount that the quote asks for. */
  pay(quote: Quote): Promise<void>;
  /** Moves a paid payment towards its end, which may take several steps. */
  advance(quote: Quote): void;
  /** The quote's time is over. */
  expire(quote: Quote): void | Promise<void>;
  /** Further cases, and the shop's view of them. */
  readonly cases: ProviderCases;
  /** Makes the provider's answers its own again. */
  calm(): void;
  /** No service of the provider answers any more, until `comeBack`. */
  goAway(): void;
  comeBack(): void;
  close(): Promise<void>;
}

/** A chain to pay from. */
export interface Origin {
  /** The chain, as in the spec's list. */
  readonly chain: {
    readonly id: number;
    readonly name: string;
    readonly shortName: string;
    readonly nativeToken: string;
  };
  readonly usdc: string;
}

export const BASE: Origin = {
  chain: { id: 8453, name: 'Base', shortName: 'base', nativeToken: 'ETH' },
  usdc: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
};
const ETHEREUM: Origin = {
  chain: { id: 1, name: 'Ethereum', shortName: 'eth', nativeToken: 'ETH' },
  usdc: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
};

/** Every provider: a provider that is missing here is not known to keep the port's promises. */
export const PROVIDER_STAGES: readonly {
  readonly name: string;
  readonly open: () => Promise<ProviderStage>;
  readonly origin: Origin;
}[] = [
  { name: 'sandbox', open: openSandbox, origin: BASE },
  { name: 'http', open: openHttp, origin: BASE },
  { name: 'relay', open: openRelay, origin: BASE },
  { name: 'oneclick', open: openOneClick, origin: BASE },
  // Chainflip has no Base.
  { name: 'chainflip', open: openChainflip, origin: ETHEREUM },
];

const KEY = 'key-of-the-stage';
const WRONG_KEY = 'key-of-a-stranger';
const TIMEOUT_MS = 5_000;
const POOL_SIZE = 5;
const POSTGRES_PORT = 5432;
const SANDBOX_SPEED = 50;
/** A payment of the sandbox takes 15 seconds from its deposit. */
const STEP_S = 5;
/** More than 300 seconds and the grace in which a deposit of the last second is seen. */
const EXPIRED_S = 310;
const REFUND_TO = `0x${'ab'.repeat(20)}`;

/** The sandbox has no service that could be away, only the database. */
async function openSandbox(): Promise<ProviderStage> {
  const database = await createTestDatabase();
  const proxy = await TcpProxy.inFrontOf(database.url, POSTGRES_PORT);
  const source = await new DataSource(dataSourceOptions(proxy.through(database.url), POOL_SIZE)).initialize();
  const clock = new StandingClock();
  const provider = new SandboxProvider(databaseOn(source), { speed: 1, autopay: false, maxRpm: 0 }, clock);
  return {
    provider,
    stranger: null,
    awayError: StoreUnavailable,
    refundsTo: null,
    pay: async ({ quoteId }) => void (await provider.deposit(quoteId)),
    advance: () => clock.pass(STEP_S),
    expire: () => clock.pass(EXPIRED_S),
    cases: sandboxCases(provider, clock),
    calm: () => undefined,
    goAway: () => proxy.cut(),
    comeBack: () => proxy.heal(),
    close: async () => {
      await source.destroy();
      await proxy.close();
      await database.drop();
    },
  };
}

/** Asks a second Paybell, whose sandbox runs in real time. */
async function openHttp(): Promise<ProviderStage> {
  const database = await createTestDatabase();
  const app = await SharedProcess.startReady({
    DATABASE_URL: database.url,
    PROVIDER: 'sandbox',
    SANDBOX_SPEED: String(SANDBOX_SPEED),
    SANDBOX_AUTOPAY: 'false',
  });
  const tampering = await TamperingProxy.before(app.url);
  const proxy = await TcpProxy.inFrontOf(tampering.url, 0);
  const askWith = (apiKey: string): HttpProvider =>
    new HttpProvider({
      baseUrl: proxy.through(tampering.url),
      apiKey,
      auth: 'x-api-key',
      timeoutMs: TIMEOUT_MS,
      maxConcurrency: 8,
      maxRpm: 0,
    });
  const [provider, stranger] = [askWith(app.apiKey), askWith(WRONG_KEY)];
  return {
    provider,
    stranger,
    awayError: ProviderUnavailable,
    refundsTo: null,
    pay: async ({ quoteId }) => {
      const answer = await app.fetch(`/sandbox/payments/${quoteId}/deposit`, { method: 'POST' });
      if (!answer.ok) throw new Error(`the deposit was answered ${answer.status}`);
    },
    advance: () => undefined,
    expire: async ({ quoteId }) => {
      await database.query(
        `UPDATE sandbox_payment SET created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour'
         WHERE quote_id = $1`,
        [quoteId],
      );
    },
    cases: httpCases(tampering),
    calm: () => tampering.set(null),
    goAway: () => proxy.cut(),
    comeBack: () => proxy.heal(),
    close: async () => {
      await Promise.all([provider.close(), stranger.close()]);
      await proxy.close();
      await tampering.close();
      await app.stop();
      await database.drop();
    },
  };
}

async function openRelay(): Promise<ProviderStage> {
  const database = await createTestDatabase();
  const store = new RelayStore(databaseOn(await openDataSource(database)), TIMEOUT_MS);
  const clock = new StandingClock();
  const relay = await RelayStandIn.start({ apiKey: KEY, limits: NO_LIMITS, clock });
  const tampering = await TamperingProxy.before(relay.url);
  const proxy = await TcpProxy.inFrontOf(tampering.url, 0);
  const apis = [KEY, WRONG_KEY].map(
    (apiKey) =>
      new RelayApi({
        baseUrl: proxy.through(tampering.url),
        apiKey,
        timeoutMs: TIMEOUT_MS,
        maxConcurrency: 8,
      }),
  );
  const options = {
    maxRpm: 200,
    maxQuotesRpm: 50,
    timeoutMs: TIMEOUT_MS,
    maxConcurrency: 8,
    refundTo: new Map([['evm', REFUND_TO]]),
    appFees: [],
    quoteTtlSeconds: 300,
    referrer: null,
  };
  const [provider, stranger] = apis.map(
    (api) => new RelayProvider(options, api, store, clock, SYSTEM_TIMERS),
  );
  if (provider === undefined || stranger === undefined) throw new Error('each key has its provider');
  return {
    provider,
    stranger,
    awayError: ProviderUnavailable,
    refundsTo: () =>
      (relay.requests.findLast(({ path }) => path === '/quote/v2')?.body as Json | undefined)?.['refundTo'],
    pay: async ({ depositAddress }) => void relay.lives.deposit(depositAddress),
    advance: (quote) => {
      clock.pass(STEP_S);
      moveOn(relay, quote);
    },
    expire: () => clock.pass(EXPIRED_S),
    cases: relayCases(relay, clock, tampering),
    calm: () => tampering.set(null),
    goAway: () => proxy.cut(),
    comeBack: () => proxy.heal(),
    close: async () => {
      await Promise.all(apis.map((api) => api.close()));
      await proxy.close();
      await tampering.close();
      await relay.close();
      await database.drop();
    },
  };
}

/** Relay's next step with money that has arrived. */
function moveOn(relay: RelayStandIn, { depositAddress, text }: Quote): void {
  const { send } = JSON.parse(text) as { send: { amount: string } };
  const { status } = relay.row(depositAddress);
  const { lives } = relay;
  if (status === 'depositing') lives.sweep(depositAddress);
  else if (status === 'pending') lives.submit(depositAddress);
  else if (send.amount.endsWith(FAILING_FRACTION)) lives.refund(depositAddress, { reason: 'SLIPPAGE' });
  else lives.settle(depositAddress);
}

async function openOneClick(): Promise<ProviderStage> {
  const world = await openOneClickWorld(KEY, TIMEOUT_MS);
  const { oneClick, clock } = world;
  const tampering = await TamperingProxy.before(oneClick.url);
  const proxy = await TcpProxy.inFrontOf(tampering.url, 0);
  return {
    provider: world.providerWith({}, KEY, proxy.through(tampering.url)),
    stranger: world.providerWith({}, WRONG_KEY, proxy.through(tampering.url)),
    awayError: ProviderUnavailable,
    refundsTo: ({ depositAddress }) => oneClick.order(depositAddress).request.refundTo,
    pay: async ({ depositAddress }) => oneClick.lives.deposit(depositAddress),
    advance: ({ depositAddress, text }) => {
      clock.pass(STEP_S);
      const { send } = JSON.parse(text) as { send: { amount: string } };
      if (!send.amount.endsWith(FAILING_FRACTION)) oneClick.lives.settle(depositAddress);
      else oneClick.lives.refund(depositAddress, 'AMOUNT_LESS_THAN_MIN_AMOUNT_OUT');
    },
    expire: () => clock.pass(EXPIRED_S),
    cases: oneClickCases(world, tampering),
    calm: () => tampering.set(null),
    goAway: () => proxy.cut(),
    comeBack: () => proxy.heal(),
    close: async () => {
      await proxy.close();
      await tampering.close();
      await world.close();
    },
  };
}

async function openChainflip(): Promise<ProviderStage> {
  // The suites make more quotes for one recipient than Chainflip allows.
  const world = await openChainflipWorld({ limits: { ...USUAL, channelsPerAddress: Infinity } });
  const { chainflip, clock } = world;
  const { lives } = chainflip;
  const tampering = await TamperingProxy.before(chainflip.url);
  const proxy = await TcpProxy.inFrontOf(tampering.url, 0);
  return {
    provider: world.providerWith({}, { baseUrl: proxy.through(tampering.url) }),
    stranger: null,
    awayError: ProviderUnavailable,
    refundsTo: ({ depositAddress }) => chainflip.channel(depositAddress).fillOrKill.refundAddress,
    pay: async ({ depositAddress }) => lives.deposit(depositAddress),
    advance: ({ depositAddress, text }) => {
      const swap = newestSwap(chainflip.channel(depositAddress));
      const { send } = JSON.parse(text) as { send: { amount: string } };
      const hasEnded = swap !== null && (swap.output !== null || swap.refund !== null);
      if (!hasEnded && send.amount.endsWith(FAILING_FRACTION)) {
        lives.refund(depositAddress);
        lives.witnessRefund(depositAddress);
      } else if (!hasEnded) lives.settle(depositAddress);
      clock.pass(STEP_S);
    },
    expire: () => clock.pass(EXPIRED_S),
    cases: chainflipCases(world, tampering),
    calm: () => tampering.set(null),
    goAway: () => proxy.cut(),
    comeBack: () => proxy.heal(),
    close: async () => {
      await proxy.close();
      await tampering.close();
      await world.close();
    },
  };
}
