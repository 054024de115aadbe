import { isRecord, readInstant } from '../../../domain/payment/reading.ts';
import { inside, isWholeNumber, readChainId, readText, readWords } from '../../shared/fields.ts';

/** A token amount in Relay's answer; parts that are missing or unreadable are null. */
export interface RelayAmount {
  /** The amount in the smallest unit, as digits. */
  readonly raw: string | null;
  readonly chainId: number | null;
  readonly address: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly isNative: boolean;
}

export interface RelayTransaction {
  readonly txHash: string | null;
  readonly chainId: number | null;
  /** The status in lower case; only `failure` means that the transaction did not happen. */
  readonly status: string | null;
  readonly at: Date | null;
}

export interface RelayDepositAddress {
  readonly address: string;
  readonly type: string | null;
  readonly depositor: string | null;
  readonly depositTxHash: string | null;
}

/** A row of `/requests/v3` or v2: the state of one deposit. `"N/A"` and blank texts are null. */
export interface RelayRequest {
  readonly id: string;
  /** The status in lower case; '' when there is none: then the row says nothing about its payment. */
  readonly status: string;
  readonly sender: string | null;
  readonly recipient: string | null;
  readonly refundTo: string | null;
  readonly supersededBy: string | null;
  readonly depositAddress: RelayDepositAddress | null;
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
  readonly failReason: string | null;
  readonly refundFailReason: string | null;
  /** The transactions that sweep the deposit from its address, not the payer's transfer. */
  readonly inTxs: readonly RelayTransaction[];
  readonly outTxs: readonly RelayTransaction[];
  readonly quoted: RelayAmount | null;
  readonly deposited: RelayAmount | null;
  /** Valid only once the status is success: before, it may be an intermediate token. */
  readonly delivered: RelayAmount | null;
  /** The output on the origin chain: for a route on one chain, the delivered amount. */
  readonly originOutput: RelayAmount | null;
  readonly gasTopup: RelayAmount | null;
  readonly refunded: RelayAmount | null;
}

const MAX_TRANSACTIONS = 20;
const MAX_STATUS_LENGTH = 60;
const MAX_DECIMALS = 255;
/** 2^256 has 78 digits. */
const RAW_AMOUNT = /^\d{1,78}$/;

/** Parses a row of any shape; null when it has no request id. Never throws. */
export function parseRelayRequest(value: unknown): RelayRequest | null {
  if (!isRecord(value)) return null;
  const id = readText(value['id']);
  if (id === null) return null;
  const [actual, quoted] = [
    inside(value, 'data', 'route', 'actual'),
    inside(value, 'data', 'route', 'quoted'),
  ];
  return {
    id,
    status: readWords(value['status'], MAX_STATUS_LENGTH)?.toLowerCase() ?? '',
    sender: readText(value['sender']),
    recipient: readText(value['recipient']),
    refundTo: readText(value['refundTo']),
    supersededBy: readText(value['supersededByRequestId']),
    depositAddress: readDepositAddress(value['depositAddress']),
    createdAt: readInstant(value['createdAt']),
    updatedAt: readInstant(value['updatedAt']),
    failReason: readWords(inside(value, 'data', 'failReason') ?? value['failReason']),
    refundFailReason: readWords(inside(value, 'data', 'refundFailReason') ?? value['refundFailReason']),
    inTxs: readTransactions(inside(value, 'data', 'inTxs')),
    outTxs: readTransactions(inside(value, 'data', 'outTxs')),
    quoted: readAmount(inside(quoted, 'origin', 'inputCurrency')),
    deposited: readAmount(inside(actual, 'origin', 'inputCurrency')),
    delivered: readAmount(inside(actual, 'destination', 'outputCurrency')),
    originOutput: readAmount(inside(actual, 'origin', 'outputCurrency')),
    gasTopup: readAmount(inside(actual, 'destination', 'currencyGasTopup')),
    refunded: readAmount(inside(value, 'data', 'refundCurrencyData')),
  };
}

function readDepositAddress(value: unknown): RelayDepositAddress | null {
  const fields = isRecord(value) ? value : { address: value };
  const address = readText(fields['address']);
  if (address === null) return null;
  return {
    address,
    type: readText(fields['type']) ?? readText(fields['depositAddressType']),
    depositor: readText(fields['depositor']),
    depositTxHash: readText(fields['depositTxHash']),
  };
}

/**
 * Leaves out items without a hash and a time, which prove no transaction. If there are too many items, drops failed ones
 * first.
 */
function readTransactions(value: unknown): RelayTransaction[] {
  if (!Array.isArray(value)) return [];
  const all = value.flatMap((item: unknown) => {
    if (!isRecord(item)) return [];
    const txHash = readText(item['txHash']) ?? readText(item['hash']);
    const at = readInstant(item['timestamp']);
    if (txHash === null && at === null) return [];
    const status = readWords(item['status'], MAX_STATUS_LENGTH)?.toLowerCase() ?? null;
    return [{ txHash, chainId: readChainId(item['chainId']), status, at }];
  });
  const kept = all.length > MAX_TRANSACTIONS ? all.filter(({ status }) => status !== 'failure') : all;
  return kept.slice(0, MAX_TRANSACTIONS);
}

function readAmount(value: unknown): RelayAmount | null {
  if (!isRecord(value)) return null;
  const currency = value['currency'];
  const raw =
    typeof value['amount'] === 'string' && RAW_AMOUNT.test(value['amount']) ? value['amount'] : null;
  const decimals = inside(currency, 'decimals');
  return {
    raw: raw === null ? null : BigInt(raw).toString(),
    chainId: readChainId(inside(currency, 'chainId')),
    address: readText(inside(currency, 'address')),
    symbol: readText(inside(currency, 'symbol')),
    decimals: isWholeNumber(decimals) && decimals <= MAX_DECIMALS ? decimals : null,
    isNative: inside(currency, 'metadata', 'isNative') === true,
  };
}
