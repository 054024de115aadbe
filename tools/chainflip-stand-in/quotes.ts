import { type Asset, assetOf, feeOf, leastDeposit, leastEgress, LEG, named, swapped } from './assets.ts';

type Json = Readonly<Record<string, unknown>>;

/** The parts of a swap of an amount, in the smallest units. */
export interface Terms {
  readonly deposit: bigint;
  readonly ingressFee: bigint;
  /** The amount in USDC before the fees of this step. */
  readonly leg: bigint;
  readonly networkFee: bigint;
  readonly brokerFee: bigint;
  readonly output: bigint;
  readonly egressFee: bigint;
}

/** The answer's status and message. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

export interface Pair {
  readonly src: Asset;
  readonly dest: Asset;
}

const BPS = 10_000n;
const NETWORK_BPS = 10n;
const LEAST_NETWORK_FEE = 500_000n;
const DIGITS = 18;
const STATE_CHAIN_SECONDS = 6;
const SWAP_SECONDS = 12;
const EGRESS_SECONDS = 90;
const DCA_LEG = 10_000_000_000n;
const HALF = 2;
const STABLE = /^USD/;
const AMOUNT = /^\d{1,39}$/;

export function bad(message: string, status = 400): Refusal {
  return { status, message };
}

export function isRefusal(value: object): value is Refusal {
  return 'status' in value && 'message' in value;
}

/** Null: the query names no known pair, or no amount. */
export function readPair(query: Json): (Pair & { readonly amount: bigint }) | null {
  const src = assetOf(query['srcChain'], query['srcAsset']);
  const dest = assetOf(query['destChain'], query['destAsset']);
  const { amount } = query;
  if (src === undefined || dest === undefined || typeof amount !== 'string' || !AMOUNT.test(amount))
    return null;
  return BigInt(amount) === 0n ? null : { src, dest, amount: BigInt(amount) };
}

/** The terms for a deposit of this amount at present prices. Never refuses. */
export function termsOf({ src, dest }: Pair, deposit: bigint, brokerBps = 0n): Terms {
  const ingressFee = feeOf(src);
  const leg = deposit > ingressFee ? swapped(deposit - ingressFee, src, LEG) : 0n;
  const share = (leg * NETWORK_BPS) / BPS;
  const networkFee = share > LEAST_NETWORK_FEE ? share : LEAST_NETWORK_FEE;
  const brokerFee = (leg * brokerBps) / BPS;
  const left = leg - networkFee - brokerFee;
  const output = left > 0n ? swapped(left, LEG, dest) : 0n;
  return { deposit, ingressFee, leg, networkFee, brokerFee, output, egressFee: feeOf(dest) };
}

/** Null: the quote is given. */
export function refusalOf({ src, dest }: Pair, terms: Terms): Refusal | null {
  const { deposit, ingressFee, output, egressFee } = terms;
  const least = leastDeposit(src);
  if (src === dest) return bad('Requested assets cannot be swapped');
  if (deposit < least) return bad(`expected amount is below minimum swap amount (${least})`);
  if (deposit <= ingressFee) return bad(`amount is lower than estimated ingress fee (${ingressFee})`);
  if (output <= egressFee) return bad(`swap output amount is lower than the egress fee (${egressFee})`);
  const [egress, dust] = [output - egressFee, leastEgress(dest)];
  return egress < dust
    ? bad(`egress amount (${egress}) is lower than minimum egress amount (${dust})`)
    : null;
}

/** The entries of `GET /v2/quote`. */
export function quoteEntries(pair: Pair, terms: Terms): object[] {
  const regular = quoteEntry(pair, terms);
  if (terms.leg <= DCA_LEG) return [regular];
  const dcaParams = { numberOfChunks: Number(terms.leg / DCA_LEG) + 1, chunkIntervalBlocks: 2 };
  return [regular, { ...regular, type: 'DCA', dcaParams }];
}

function quoteEntry(pair: Pair, terms: Terms): Json {
  const { src, dest } = pair;
  const stablePair = STABLE.test(src.symbol) && STABLE.test(dest.symbol);
  const hasOracles = src.hasOracle && dest.hasOracle;
  const durations = durationsOf(pair);
  const minutes = [src, dest].some(({ symbol }) => symbol === 'BTC') ? 30 : 5;
  return {
    type: 'REGULAR',
    srcAsset: named(src),
    destAsset: named(dest),
    depositAmount: terms.deposit.toString(),
    ...(src === LEG || dest === LEG ? {} : { intermediateAmount: terms.leg.toString() }),
    egressAmount: (terms.output - terms.egressFee).toString(),
    includedFees: [
      { type: 'INGRESS', ...named(src), amount: terms.ingressFee.toString() },
      { type: 'NETWORK', ...named(LEG), amount: terms.networkFee.toString() },
      ...(terms.brokerFee > 0n
        ? [{ type: 'BROKER', ...named(LEG), amount: terms.brokerFee.toString() }]
        : []),
      { type: 'EGRESS', ...named(dest), amount: terms.egressFee.toString() },
    ],
    poolInfo: [src, dest]
      .filter((asset) => asset !== LEG)
      .map((asset) => ({
        baseAsset: named(asset),
        quoteAsset: named(LEG),
        fee: { ...named(LEG), amount: '0' },
      })),
    estimatedPrice: ratio(terms.output, dest.decimals, terms.deposit - terms.ingressFee, src.decimals),
    estimatedDurationSeconds: durations.deposit + durations.swap + durations.egress,
    estimatedDurationsSeconds: durations,
    recommendedSlippageTolerancePercent: stablePair ? 0.5 : 1.5,
    ...(hasOracles ? { recommendedLivePriceSlippageTolerancePercent: stablePair ? 0.5 : 1 } : {}),
    recommendedRetryDurationMinutes: minutes,
  };
}

/** Durations in seconds, with fractions. */
export function durationsOf({ src, dest }: Pair): { deposit: number; swap: number; egress: number } {
  const { blockSeconds, safetyMargin } = src.chain;
  const deposit = blockSeconds / HALF + blockSeconds * safetyMargin + STATE_CHAIN_SECONDS;
  return { deposit, swap: SWAP_SECONDS, egress: EGRESS_SECONDS + dest.chain.blockSeconds / HALF };
}

/** The quotient of two amounts in human units, as decimal text. */
function ratio(of: bigint, ofDecimals: number, by: bigint, byDecimals: number): string {
  const units = (of * 10n ** BigInt(DIGITS + byDecimals)) / (by * 10n ** BigInt(ofDecimals));
  const digits = units.toString().padStart(DIGITS + 1, '0');
  const text = `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`;
  return text.replace(/\.?0+$/, '');
}

/** `minPriceX128` in human units, as the status shows it. */
export function priceOf(x128: bigint, { src, dest }: Pair): string {
  return ratio(x128, dest.decimals, 1n << 128n, src.decimals);
}
