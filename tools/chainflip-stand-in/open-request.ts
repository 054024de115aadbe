import { isAddress } from '../stand-in/addresses.js';
import { assetOf, leastDeposit } from './assets.ts';
import type { FillOrKill } from './channel.ts';
import { bad, type Pair, type Refusal } from './quotes.ts';

type Json = Readonly<Record<string, unknown>>;

/** The request to open a channel. */
export interface OpenRequest extends Pair {
  readonly destAddress: string;
  readonly amount: bigint;
  readonly fillOrKill: FillOrKill;
}

/** The error object of zod for a body that fails its schema. */
export interface SchemaError {
  readonly issues: readonly {
    readonly code: string;
    readonly message: string;
    readonly path: readonly string[];
  }[];
  readonly name: 'ZodError';
}

const DIGITS = /^\d{1,60}$/;
const BLOCKS_UP_TO = 600;

/** Reads the body of `POST /api/openSwapDepositChannel`. */
export function readOpenRequest(body: Json): OpenRequest | Refusal | SchemaError {
  const [from, to, params] = [
    fieldsOf(body['srcAsset']),
    fieldsOf(body['destAsset']),
    fieldsOf(body['fillOrKillParams']),
  ];
  const src = assetOf(from['chain'], from['asset']);
  const dest = assetOf(to['chain'], to['asset']);
  if (src === undefined || dest === undefined)
    return schemaError('invalid_union', 'Invalid input', src === undefined ? 'srcAsset' : 'destAsset');
  const { destAddress, amount } = body;
  if (typeof amount !== 'string' || !DIGITS.test(amount))
    return schemaError('invalid_string', 'Invalid', 'amount');
  if (!isAddress(destAddress, dest.chain.form))
    return notAddress(destAddress, dest.chain.word, 'destAddress');
  const { refundAddress, retryDurationBlocks, minPriceX128, maxOraclePriceSlippage = null } = params;
  if (!isAddress(refundAddress, src.chain.form))
    return notAddress(refundAddress, src.chain.word, 'fillOrKillParams', 'refundAddress');
  if (typeof minPriceX128 !== 'string' || !DIGITS.test(minPriceX128))
    return schemaError('invalid_string', 'Invalid', 'fillOrKillParams', 'minPriceX128');
  if (!Number.isInteger(retryDurationBlocks) || Number(retryDurationBlocks) > BLOCKS_UP_TO)
    return schemaError('too_big', 'Invalid', 'fillOrKillParams', 'retryDurationBlocks');
  const least = leastDeposit(src);
  if (BigInt(amount) < least) return bad(`expected amount is below minimum swap amount (${least})`);
  return {
    src,
    dest,
    destAddress: String(destAddress),
    amount: BigInt(amount),
    fillOrKill: {
      retryDurationBlocks: Number(retryDurationBlocks),
      refundAddress: String(refundAddress),
      minPriceX128: BigInt(minPriceX128),
      maxOraclePriceSlippage: maxOraclePriceSlippage === null ? null : Number(maxOraclePriceSlippage),
    },
  };
}

/** Reads the positional parameters of `broker_request_swap_deposit_address`, which have a hexadecimal price and no amount. */
export function readBrokerParams(params: readonly unknown[]): OpenRequest | null {
  const [from, to] = [fieldsOf(params[0]), fieldsOf(params[1])];
  const refund = fieldsOf(params[7]);
  const src = assetOf(from['chain'], from['asset']);
  const dest = assetOf(to['chain'], to['asset']);
  const minPrice = refund['min_price'];
  if (src === undefined || dest === undefined || !isAddress(params[2], dest.chain.form)) return null;
  if (!isAddress(refund['refund_address'], src.chain.form) || typeof minPrice !== 'string') return null;
  const slippage = refund['max_oracle_price_slippage'];
  return {
    src,
    dest,
    destAddress: String(params[2]),
    amount: 0n,
    fillOrKill: {
      retryDurationBlocks: Number(refund['retry_duration']),
      refundAddress: String(refund['refund_address']),
      minPriceX128: BigInt(minPrice),
      maxOraclePriceSlippage: typeof slippage === 'number' ? slippage : null,
    },
  };
}

export function isSchemaError(value: object): value is SchemaError {
  return 'issues' in value;
}

function notAddress(address: unknown, chain: string, ...path: string[]): SchemaError {
  return schemaError(
    'custom',
    `Address "${String(address)}" is not a valid "${chain}" address for "mainnet"`,
    ...path,
  );
}

function schemaError(code: string, message: string, ...path: string[]): SchemaError {
  return { issues: [{ code, message, path }], name: 'ZodError' };
}

function fieldsOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
