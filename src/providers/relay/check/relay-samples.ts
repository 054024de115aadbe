import type { QuoteOrder } from '../quote/relay-order.ts';
import type { RelayChain } from '../catalog/parse-chains.ts';
import { parseRelayQuote } from '../quote/parse-relay-quote.ts';
import { isRecord } from '../../../domain/payment/reading.ts';

/** The chains that the spec lists, by id. */
export const SPEC_CHAINS: ReadonlyMap<number, string> = new Map([
  [1, 'eth'],
  [10, 'op'],
  [56, 'bnb'],
  [137, 'matic'],
  [8453, 'base'],
  [42161, 'arb'],
  [42220, 'celo'],
  [43114, 'avax'],
  [792703809, 'sol'],
]);

/** No person has the key of this recipient, so that a stray deposit to such a quote could not be used. */
const UNOWNED_ADDRESS = '0x000000000000000000000000000000000000dEaD';
const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const USDC_ON_ARBITRUM = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';
const BASE = 8453;
const ARBITRUM = 42_161;
const POLYGON = 137;
const ZERO = `0x${'0'.repeat(40)}`;
/** The refund address that Paybell also sends when none is configured. */
export const REFUND_TO_PAYER = ZERO;

const COMMON = {
  user: UNOWNED_ADDRESS,
  recipient: UNOWNED_ADDRESS,
  destinationChainId: ARBITRUM,
  destinationCurrency: USDC_ON_ARBITRUM,
  tradeType: 'EXACT_INPUT',
  useDepositAddress: true,
  strict: true,
};

/** 5 USDC from Base to Arbitrum. */
export const SMALL_QUOTE = {
  ...COMMON,
  originChainId: BASE,
  originCurrency: USDC_ON_BASE,
  amount: '5000000',
};

const SMALL_ORDER: QuoteOrder = {
  from: {
    chain: evmChain(BASE, 'Base'),
    token: { address: USDC_ON_BASE, symbol: 'USDC', decimals: 6 },
  },
  to: { chain: evmChain(ARBITRUM, 'Arbitrum'), address: USDC_ON_ARBITRUM },
  amount: SMALL_QUOTE.amount,
  isExactOutput: false,
  recipient: UNOWNED_ADDRESS,
};

/** 20 POL, which no deposit address takes. */
export const NATIVE_OF_POLYGON = {
  ...COMMON,
  originChainId: POLYGON,
  originCurrency: ZERO,
  amount: `20${'0'.repeat(18)}`,
};

/** The parts of a quote that the check needs. */
export interface SampleQuote {
  readonly requestId: string;
  readonly depositAddress: string;
  readonly hasFees: boolean;
  /** The first of Paybell's safety checks that the quote fails; null when Paybell would show its address. */
  readonly failedCheck: string | null;
}

/** Reads the answer to SMALL_QUOTE; null without a request id or a deposit address. */
export function readSample(value: unknown): SampleQuote | null {
  if (!isRecord(value) || !Array.isArray(value['steps'])) return null;
  const steps = value['steps'].filter(isRecord);
  const requestId = [value, ...steps].map((each) => each['requestId']).find(isText);
  const depositAddress = steps.map((step) => step['depositAddress']).find(isText);
  if (requestId === undefined || depositAddress === undefined) return null;
  const reading = parseRelayQuote(value, SMALL_ORDER);
  return {
    requestId,
    depositAddress,
    hasFees: isRecord(value['fees']),
    failedCheck: reading.kind === 'unsafe' ? reading.check : null,
  };
}

/** Reads the rows of a `/requests/v3` answer; null for any other answer. */
export function readRequests(value: unknown): Record<string, unknown>[] | null {
  if (!isRecord(value) || !Array.isArray(value['requests'])) return null;
  return value['requests'].filter(isRecord);
}

/** Counts the chains and those payable by deposit address, and names the chains of the spec that are not payable. */
export function readChainFigures(value: unknown): { all: number; payable: number; missing: string[] } | null {
  if (!isRecord(value) || !Array.isArray(value['chains'])) return null;
  const payable = value['chains'].filter(isRecord).filter(isPayable);
  const ids = new Set(payable.map((chain) => chain['id']));
  const missing = [...SPEC_CHAINS].flatMap(([id, name]) => (ids.has(id) ? [] : [name]));
  return { all: value['chains'].length, payable: payable.length, missing };
}

/** Counts the currencies in a flat list (v2) or in groups (v1). */
export function countCurrencies(value: unknown): number | null {
  if (!Array.isArray(value)) return null;
  return value.flat().filter((each) => isRecord(each) && isText(each['address'])).length;
}

function isPayable(chain: Record<string, unknown>): boolean {
  const { disabled, depositEnabled, solverCurrencies } = chain;
  return (
    disabled !== true &&
    depositEnabled === true &&
    Array.isArray(solverCurrencies) &&
    solverCurrencies.length > 0
  );
}

function evmChain(id: number, name: string): RelayChain {
  const shortName = name.toLowerCase();
  return {
    id,
    name,
    shortName,
    nativeToken: 'ETH',
    vmType: 'evm',
    isDisabled: false,
    nativeAddress: ZERO,
    payable: [],
  };
}

export function isSame(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase();
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
