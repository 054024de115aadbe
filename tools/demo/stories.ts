import type { StoryEvent } from '../testkit/told-story.ts';

type Verdictable = Pick<StoryEvent, 'type'> & {
  readonly data: { readonly reason?: string; readonly verification?: { readonly state: string } };
};

/** The shop's product in this demo: a payment whose amount decides its story at the sandbox. */
export interface Story {
  readonly orderId: string;
  readonly title: string;
  readonly request: QuoteRequest;
  readonly metadata?: Readonly<Record<string, string>>;
  /** The provider that makes the quote; left out: the only one. */
  readonly provider?: string;
  /** The text for the payment: its amount, and its route. */
  readonly pays: string;
  readonly way: string;
  /** The status at the story's end, and its necessary events. A status between two polls may be skipped. */
  readonly end: string;
  readonly mustHappen: readonly string[];
  readonly told?: ToldEvents;
  /** The chain's finding at the end, in the words of `verdictOf`; left out: none. */
  readonly verdict?: string;
  /** The special part of the story, which may fall between two polls if the machine is very busy. */
  readonly mayHappen?: string;
}

/** All events of a story, by docs/using/stories, and the number of events to wait for. */
export interface ToldEvents {
  readonly events: readonly StoryEvent[];
  readonly awaited: number;
}

/** The body of POST /api/quote. */
export interface QuoteRequest {
  readonly fromChainId: number;
  readonly toChainId: number;
  readonly fromToken: string;
  readonly toToken: string;
  readonly amount: string;
  readonly recipient: string;
}

interface Coin {
  readonly symbol: string;
  readonly chainId: number;
  readonly chain: string;
  readonly token: string;
}

const NATIVE = '0x0000000000000000000000000000000000000000';
const RECIPIENT = '0x2000000000000000000000000000000000000026';

export const USDC_ON_BASE: Coin = {
  symbol: 'USDC',
  chainId: 8453,
  chain: 'Base',
  token: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
};
export const USDC_ON_ARBITRUM: Coin = {
  symbol: 'USDC',
  chainId: 42161,
  chain: 'Arbitrum',
  token: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
};
export const ETH: Coin = { symbol: 'ETH', chainId: 1, chain: 'Ethereum', token: NATIVE };
const ETH_ON_OPTIMISM: Coin = { symbol: 'ETH', chainId: 10, chain: 'Optimism', token: NATIVE };
const SOL: Coin = { symbol: 'SOL', chainId: 792703809, chain: 'Solana', token: NATIVE };
const BNB: Coin = { symbol: 'BNB', chainId: 56, chain: 'BNB Chain', token: NATIVE };
const AVAX: Coin = { symbol: 'AVAX', chainId: 43114, chain: 'Avalanche', token: NATIVE };
const CELO: Coin = { symbol: 'CELO', chainId: 42220, chain: 'Celo', token: NATIVE };

const BITCOIN: Coin = {
  symbol: 'BTC',
  chainId: 8253038,
  chain: 'Bitcoin',
  token: NATIVE,
};

type Course = Pick<
  Story,
  'title' | 'end' | 'mustHappen' | 'mayHappen' | 'provider' | 'told' | 'metadata' | 'verdict'
>;

/** `proven`, `contradicted: amount_short`; for a story without a proof, the last anomaly. */
export function verdictOf(events: readonly Verdictable[]): string {
  const state = events.findLast(({ data }) => data.verification)?.data.verification?.state;
  const reason = events.findLast(({ type }) => type === 'payment.anomaly')?.data.reason;
  return [state, reason].filter(Boolean).join(': ');
}

export function story(orderId: string, amount: string, from: Coin, to: Coin, course: Course): Story {
  const request = {
    fromChainId: from.chainId,
    toChainId: to.chainId,
    fromToken: from.token,
    toToken: to.token,
    amount,
    recipient: RECIPIENT,
  };
  const way = `${from.chain} → ${to.chain}`;
  return { orderId, request, pays: `${amount} ${from.symbol}`, way, ...course };
}

const PLAIN: Course = {
  title: 'paid at once, everything goes well',
  end: 'COMPLETED',
  mustHappen: ['payment.created', 'payment.completed'],
};
const FAILS: Course = {
  title: 'paid, but the execution fails',
  end: 'FAILED',
  mustHappen: ['payment.created', 'payment.failed'],
};
const UNPAID: Course = {
  title: 'nobody pays',
  end: 'EXPIRED',
  mustHappen: ['payment.created', 'payment.expired'],
};
const LATE: Course = {
  title: 'paid a minute after the quote expired',
  end: 'COMPLETED',
  mustHappen: ['payment.created', 'payment.expired', 'payment.completed'],
};
const GOES_BACK: Course = {
  title: 'the provider contradicts itself once',
  end: 'COMPLETED',
  mustHappen: ['payment.created', 'payment.completed'],
  mayHappen: 'payment.anomaly',
};
const OUTAGE: Course = {
  title: 'the provider answers 500 for a minute',
  end: 'COMPLETED',
  mustHappen: ['payment.created', 'payment.completed'],
};

export const STORIES: readonly Story[] = [
  story('A-1001', '25.42', USDC_ON_BASE, USDC_ON_ARBITRUM, PLAIN),
  story('A-1002', '0.01', ETH, ETH_ON_OPTIMISM, FAILS),
  story('A-1003', '3.02', SOL, ETH, UNPAID),
  story('A-1004', '90.03', CELO, USDC_ON_BASE, LATE),
  story('A-1005', '1.07', BNB, AVAX, GOES_BACK),
  story('A-1006', '12.08', AVAX, BNB, OUTAGE),
];

/** The course of a payment whose money arrives, or goes back to the payer. */
function carriedBy(provider: string, end: 'COMPLETED' | 'FAILED', title: string): Course {
  const last = end === 'COMPLETED' ? 'payment.completed' : 'payment.failed';
  return { provider, title, end, mustHappen: ['payment.created', last] };
}

export const PROVIDER_STORIES: readonly Story[] = [
  story('A-2001', '0.05', ETH, USDC_ON_BASE, carriedBy('http', 'COMPLETED', 'everything goes well')),
  story('A-2002', '0.01', ETH, ETH_ON_OPTIMISM, carriedBy('http', 'FAILED', 'the money goes back')),
  story(
    'A-2003',
    '25.42',
    USDC_ON_BASE,
    USDC_ON_ARBITRUM,
    carriedBy('relay', 'COMPLETED', 'everything goes well'),
  ),
  story(
    'A-2004',
    '80.05',
    USDC_ON_ARBITRUM,
    USDC_ON_BASE,
    carriedBy('relay', 'FAILED', 'the price moved, the money goes back'),
  ),
  story(
    'A-2005',
    '0.002',
    BITCOIN,
    USDC_ON_BASE,
    carriedBy('oneclick', 'COMPLETED', 'the provider dies after the deposit'),
  ),
  story(
    'A-2006',
    '0.03',
    ETH,
    USDC_ON_ARBITRUM,
    carriedBy('oneclick', 'FAILED', 'the money goes back while the provider is dead'),
  ),
  story(
    'A-2007',
    '0.002',
    BITCOIN,
    USDC_ON_ARBITRUM,
    carriedBy('chainflip', 'COMPLETED', 'a deposit channel, everything goes well'),
  ),
  story(
    'A-2008',
    '0.05',
    ETH,
    USDC_ON_ARBITRUM,
    carriedBy('chainflip', 'FAILED', 'the price fell, the money goes back'),
  ),
];
