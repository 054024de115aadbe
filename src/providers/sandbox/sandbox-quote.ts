import { fromUnits, toUnits } from '../../domain/payment/amount.ts';
import { depositAddressOf, depositMemoOf, unseenDepositAddressOf } from './sandbox-addresses.ts';
import { plotOf, USUAL_EXECUTION_MS, type Story } from './stories.ts';
import type { Order } from './sandbox-order.ts';
import { USD_DECIMALS, type Fee } from './pricing.ts';
import { QUOTE_LIFE_MS } from './story-phase.ts';
import { type QuoteFee, sideOf, type SpecQuote } from '../shared/spec-quote.ts';

/** The spec's Quote object with all of its fields. */
export type SandboxQuote = SpecQuote & {
  readonly receive: { readonly estimatedAmountUsd: string };
  readonly fees: Required<SpecQuote['fees']>;
  readonly estimatedTime: string;
};

/** One step on each side: the swap of the deposit and the delivery of the result. */
const STEPS = 2;

export function buildQuote(
  quoteId: string,
  order: Order,
  speed: number,
  story: Story = 'plain',
): SandboxQuote {
  const { from, to, amount, price } = order;
  const depositMemo = plotOf(story).hasMemo === true ? depositMemoOf(quoteId) : undefined;
  const expiresIn = secondsOf(QUOTE_LIFE_MS / speed);
  return {
    success: true,
    quoteId,
    expiresIn,
    send: {
      depositAddress: addressOf(quoteId, order, story),
      ...(depositMemo === undefined ? {} : { depositMemo }),
      ...sideOf(from.chain, from.token),
      amount,
    },
    receive: {
      ...sideOf(to.chain, to.token),
      estimatedAmount: fromUnits(price.receiveUnits, to.token.decimals),
      estimatedAmountUsd: usdOf(price.receiveUsd),
    },
    recipient: order.recipient,
    fees: {
      totalUsd: usdOf(price.totalUsd),
      gas: feeOf(price.gas),
      relayer: feeOf(price.relayer),
      app: feeOf(price.app),
    },
    estimatedTime: `${secondsOf(USUAL_EXECUTION_MS / speed)}s`,
    steps: STEPS,
    statusUrl: `/api/status/${quoteId}`,
    depositNote: noteOf(order, expiresIn, depositMemo),
  };
}

function addressOf(quoteId: string, { from, amount }: Order, story: Story): string {
  const { vmType } = from.chain;
  if (plotOf(story).isUnseen !== true) return depositAddressOf(quoteId, vmType);
  return unseenDepositAddressOf(quoteId, vmType, toUnits(amount, from.token.decimals));
}

/** Converts to whole seconds; at least 1, since 0 would mean that the quote has expired. */
function secondsOf(ms: number): number {
  return Math.max(1, Math.round(ms / 1000));
}

function noteOf({ from, amount }: Order, expiresIn: number, memo?: string): string {
  const withMemo = memo === undefined ? '' : ` with the memo ${memo}`;
  const payment = `exactly ${amount} ${from.token.symbol} on ${from.chain.name}${withMemo}`;
  return `SANDBOX - do not send funds. A real quote asks here for ${payment}, within ${expiresIn} seconds.`;
}

function feeOf({ units, token, usd }: Fee): QuoteFee {
  return { amount: fromUnits(units, token.decimals), usd: usdOf(usd), currency: token.symbol };
}

function usdOf(millionths: bigint): string {
  return fromUnits(millionths, USD_DECIMALS);
}
