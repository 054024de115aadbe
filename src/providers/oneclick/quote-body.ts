import type { AppFee } from '../shared/quote-settings.ts';
import { needsMemo, type Order } from './order.ts';

export interface QuoteBodyOptions {
  /** How much the price may move, in hundredths of a percent. */
  readonly slippageBps: number;
  /** Our fees, paid to an account of NEAR Intents. */
  readonly appFees: readonly AppFee[];
  /** The name under which 1Click lists our swaps. */
  readonly referral: string;
}

/** The body of `POST /v0/quote`. */
export interface QuoteBody {
  /** True: asks only for a price; no deposit address is opened. */
  readonly dry: boolean;
  readonly swapType: 'EXACT_INPUT' | 'EXACT_OUTPUT';
  readonly slippageTolerance: number;
  readonly originAsset: string;
  readonly depositType: 'ORIGIN_CHAIN';
  readonly destinationAsset: string;
  readonly amount: string;
  readonly refundTo: string;
  readonly refundType: 'ORIGIN_CHAIN';
  readonly recipient: string;
  readonly recipientType: 'DESTINATION_CHAIN';
  /** When a refund begins if the swap is not done: ISO 8601 in whole seconds. */
  readonly deadline: string;
  readonly depositMode?: 'MEMO';
  readonly referral: string;
  readonly appFees?: QuoteBodyOptions['appFees'];
}

const MINUTE_MS = 60_000;
/** How long a deposit of the last second may take to be confirmed. */
const CONFIRMED_WITHIN_MS = 20 * MINUTE_MS;
const SLOW_CONFIRMED_WITHIN_MS = 120 * MINUTE_MS;
const SLOW_VMS: ReadonlySet<string> = new Set([
  'bvm',
  'litecoin',
  'dogecoin',
  'dash',
  'zcash',
  'bitcoincash',
]);

/** Leaves out `quoteWaitingTimeMs`, which a status does not repeat, so that its signature would not verify. */
export function quoteBody(
  order: Order,
  expiresAt: Date,
  { slippageBps, appFees, referral }: QuoteBodyOptions,
  isDry = false,
): QuoteBody {
  const { from, to, amount, isExactOutput, refundTo, recipient } = order;
  return {
    dry: isDry,
    swapType: isExactOutput ? 'EXACT_OUTPUT' : 'EXACT_INPUT',
    slippageTolerance: slippageBps,
    originAsset: from.id,
    depositType: 'ORIGIN_CHAIN',
    destinationAsset: to.id,
    amount,
    refundTo,
    refundType: 'ORIGIN_CHAIN',
    recipient,
    recipientType: 'DESTINATION_CHAIN',
    deadline: deadlineOf(expiresAt, from.chain.vmType),
    ...(needsMemo(from) ? { depositMode: 'MEMO' } : {}),
    referral,
    ...(appFees.length === 0 ? {} : { appFees }),
  };
}

function deadlineOf(expiresAt: Date, vmType: string): string {
  const confirmedWithinMs = SLOW_VMS.has(vmType) ? SLOW_CONFIRMED_WITHIN_MS : CONFIRMED_WITHIN_MS;
  const deadline = new Date(expiresAt.getTime() + confirmedWithinMs);
  return `${deadline.toISOString().slice(0, 19)}.000Z`;
}
