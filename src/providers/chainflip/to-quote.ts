import { fromUnits } from '../../domain/payment/amount.ts';
import { fromRaw } from '../shared/raw-amount.ts';
import { depositNote, type QuoteFee, sideOf, type SpecQuote } from '../shared/spec-quote.ts';
import type { Order } from './order.ts';
import type { Price } from './price.ts';

/** USDC on Ethereum, through which every swap goes. */
const LEG = 'Usdc';
const USDC_DIGITS = 6;
const SHOWN_USD_DIGITS = 4;
const STABLE: ReadonlySet<string> = new Set(['USDC', 'USDT']);
const OTHER_AMOUNTS =
  'a much smaller amount is kept by the network, and another amount is swapped as it comes';

/** Builds the spec's Quote object; `expiresIn` is in seconds. USDC counts as one dollar: Chainflip states no other value. */
export function toQuote(
  quoteId: string,
  order: Order,
  price: Price,
  depositAddress: string,
  expiresIn: number,
): SpecQuote {
  const { from, to } = order;
  const amount = fromRaw(order.amount, from.decimals);
  const values = valuesOf(order, price);
  return {
    success: true,
    quoteId,
    expiresIn,
    send: { depositAddress, ...sideOf(from.chain, { ...from, name: from.symbol }), amount },
    receive: {
      ...sideOf(to.chain, { ...to, name: to.symbol }),
      estimatedAmount: fromRaw(price.egress, to.decimals),
      ...(values === null ? {} : { estimatedAmountUsd: fromUnits(values.received, USDC_DIGITS) }),
      minimumAmount: fromRaw(price.minEgress, to.decimals),
    },
    recipient: order.recipient,
    fees: values === null ? {} : feesOf(order, price, values),
    ...(price.estimateSeconds === null ? {} : { estimatedTime: `${price.estimateSeconds}s` }),
    steps: 1,
    statusUrl: `/api/status/${quoteId}`,
    depositNote: depositNote(`${amount} ${from.symbol}`, from.chain.name, expiresIn, OTHER_AMOUNTS),
  };
}

/** Values in millionths of a dollar. */
interface Values {
  /** The value of the swap at its intermediate step in USDC. */
  readonly leg: bigint;
  readonly received: bigint;
}

/** Null if the quote does not state the value. */
function valuesOf(order: Order, price: Price): Values | null {
  const { egress, egressFee, networkFee, brokerFee } = price;
  const swapped = swappedOf(order, price);
  const leg =
    order.from.internal === LEG
      ? swapped
      : order.to.internal === LEG
        ? egress + egressFee + networkFee + brokerFee
        : price.leg;
  if (leg === null || leg <= 0n) return null;
  const { symbol, decimals } = order.to;
  const inDollars = (egress * 10n ** BigInt(USDC_DIGITS)) / 10n ** BigInt(decimals);
  const received = STABLE.has(symbol) ? inDollars : (leg * egress) / (egress + egressFee);
  return { leg, received };
}

function swappedOf({ amount }: Order, { ingressFee }: Price): bigint {
  return BigInt(amount) - ingressFee;
}

/** The spread of the pools is part of no fee. */
function feesOf(order: Order, price: Price, { leg }: Values): SpecQuote['fees'] {
  const { egress, egressFee, ingressFee, networkFee, brokerFee } = price;
  const swapped = swappedOf(order, price);
  const shown = (raw: bigint): QuoteFee => ({
    amount: fromRaw(raw, order.from.decimals),
    usd: shownUsd((raw * leg) / swapped),
    currency: order.from.symbol,
  });
  const [gas, network, broker] = [
    ingressFee + (egressFee * swapped) / (egress + egressFee),
    (networkFee * swapped) / leg,
    (brokerFee * swapped) / leg,
  ] as const;
  return {
    totalUsd: shownUsd((gas * leg) / swapped + networkFee + brokerFee),
    gas: shown(gas),
    relayer: shown(network),
    app: shown(broker),
  };
}

function shownUsd(units: bigint): string {
  return fromUnits(units / 10n ** BigInt(USDC_DIGITS - SHOWN_USD_DIGITS), SHOWN_USD_DIGITS);
}
