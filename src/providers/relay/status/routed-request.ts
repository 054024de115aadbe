import { addressKey } from '../../../domain/chains/address-key.ts';
import type { RelayQuote } from '../quote/relay-quote.ts';
import { readRaw } from '../../shared/raw-amount.ts';
import { isOfToken } from './deposit-match.ts';
import type { RelayAmount, RelayRequest, RelayTransaction } from './relay-request.ts';

type Route = Pick<RelayQuote, 'from' | 'to'>;

/** A request, and the output that it shows on its quote's route. */
export interface RoutedRequest extends RelayRequest {
  /** The transfers that may be the output, the oldest first. */
  readonly fills: readonly RelayTransaction[];
  /** The delivered amount in the smallest unit; null: not stated, or not in the promised token. */
  readonly arrived: bigint | null;
}

export function onRoute(route: Route, request: RelayRequest): RoutedRequest {
  const delivered = deliveredOn(route, request);
  const isOther = delivered !== null && delivered.address !== null && !isOfToken(delivered, route.to);
  const fills = request.outTxs.filter(isFillOf(route, request));
  return { ...request, delivered, fills, arrived: isOther ? null : readRaw(delivered?.raw) };
}

/** An amount on another chain than the route's last is not the output. */
function deliveredOn(route: Route, { delivered, originOutput }: RelayRequest): RelayAmount | null {
  const amount = delivered ?? (isOnOneChain(route) ? originOutput : null);
  return amount !== null && amount.chainId !== null && amount.chainId !== route.to.chainId ? null : amount;
}

/**
 * Leaves out failed transfers, transfers on another chain, and those with the hash of the deposit or of a sweep on another
 * chain. Beside a refund, a transfer that may be the refund proves no output.
 */
function isFillOf(route: Route, { depositAddress, inTxs, refunded }: RelayRequest) {
  const isRefunded = BigInt(refunded?.raw ?? 0) > 0n;
  const sweeps = isOnOneChain(route) ? [] : inTxs.map(({ txHash }) => txHash);
  const others = new Set([depositAddress?.depositTxHash, ...sweeps].map((hash) => addressKey(hash ?? '')));
  const isRefundThere = isOnOneChain(route) || refunded?.chainId === route.to.chainId;
  const mayBeRefund = (chainId: number | null) => isRefunded && (chainId === null || isRefundThere);
  return ({ status, chainId, txHash }: RelayTransaction): boolean =>
    status !== 'failure' &&
    (chainId ?? route.to.chainId) === route.to.chainId &&
    !mayBeRefund(chainId) &&
    !(txHash !== null && others.has(addressKey(txHash)));
}

function isOnOneChain({ from, to }: Route): boolean {
  return from.chainId === to.chainId;
}
