// @ts-check
/** One row of `GET /requests/v3`, and the facts of the same request in the other reads. */
import { addressFrom } from '../stand-in/addresses.js';
import { amountOf, usdText, worth } from './amounts.js';
import { depositoryOf } from './chain-objects.js';
import { carried } from './carried.js';
import { knownChain } from './chains.js';
import { isPaid } from './orders.js';

/** @typedef {import('./orders.js').Order} Order */
/** @typedef {import('./orders.js').Tx} Tx */

const FIRST_BLOCK = 20_000_000;

/** A row, as the stand-in makes it or as the test has changed it. @returns {Record<string, unknown>} */
export function requestObject(/** @type {Order} */ order) {
  const row = {
    id: order.id,
    status: order.status,
    user: order.user,
    sender: order.depositor,
    recipient: order.recipient,
    refundTo: order.refundTo,
    supersededByRequestId: order.supersededBy,
    depositAddress: addressObject(order, 'type'),
    requestType: requestType(order),
    features: features(order),
    createdAt: new Date(order.createdAt).toISOString(),
    updatedAt: new Date(order.updatedAt).toISOString(),
    data: dataObject(order),
    protocol: isPaid(order) ? protocolObject(order) : null,
  };
  return order.reshape === null ? row : order.reshape(row);
}

/** The answer to a status request and the notice have a longer name for `type`. */
export function addressObject(
  /** @type {Order} */ order,
  /** @type {'type' | 'depositAddressType'} */ typeName,
) {
  const { address, type, depositor, depositTxHash } = order;
  if (address === null) return null;
  const about = { address, [typeName]: type, depositor, depositTxHash };
  return typeName === 'type' ? { ...about, recoveryAddress: order.recoveryAddress } : about;
}

/** `GET /intents/status/v3`. */
export function statusObject(/** @type {Order} */ order) {
  return {
    status: order.status,
    inTxHashes: hashesOf(order.sweeps),
    txHashes: hashesOf([...order.fills, ...order.refunds]),
    updatedAt: order.updatedAt,
    originChainId: order.tokenIn.chainId,
    destinationChainId: order.tokenOut.chainId,
    quoteCreatedAt: order.createdAt,
    failReason: order.failReason ?? 'N/A',
    refundFailReason: order.refundFailReason ?? 'N/A',
    ...(order.failReason === null ? {} : { details: 'Failed swap' }),
  };
}

export function hashesOf(/** @type {readonly Tx[]} */ txs) {
  return txs.map(({ txHash }) => txHash);
}

function dataObject(/** @type {Order} */ order) {
  return {
    failReason: order.failReason,
    refundFailReason: order.refundFailReason,
    timeEstimate: knownChain(order.tokenOut.chainId).timeEstimate,
    inTxs: order.sweeps.map((tx) => txObject(order, tx)),
    outTxs: [...order.fills, ...order.refunds].map((tx) => txObject(order, tx)),
    appFees: appFeesObject(order),
    feeSponsorship: null,
    fees: feesObject(order),
    route: { quoted: quotedRoute(order), actual: isPaid(order) ? actualRoute(order) : null },
    refundCurrencyData: order.refunded === null ? null : amountOf(order.tokenIn, order.refunded),
    externalMetadata: null,
    referrer: order.referrer,
    usesExternalLiquidity: false,
    slippageTolerance: '200',
  };
}

function txObject(/** @type {Order} */ order, /** @type {Tx} */ tx) {
  const fee = knownChain(tx.chainId).gas.toString();
  const block = FIRST_BLOCK + Math.floor(order.createdAt / 1_000);
  return { ...tx, fee, feeUsd: '0.000300', block, type: 'onchain', data: {}, stateChanges: [] };
}

function appFeesObject(/** @type {Order} */ { tokenIn, amountIn, appFees, paid }) {
  const shares = (/** @type {bigint} */ raw) =>
    appFees.map(({ recipient, fee }) => ({
      recipient,
      bps: fee,
      amount: ((raw * BigInt(fee)) / 10_000n).toString(),
    }));
  return {
    quoted: shares(amountIn),
    actual: paid === null ? [] : shares(paid),
    currency: amountOf(tokenIn, 0n).currency,
  };
}

function feesObject(/** @type {Order} */ { tokenIn, fees, paid }) {
  const fee = (/** @type {bigint} */ raw) => {
    const { amount, amountFormatted } = amountOf(tokenIn, raw);
    return { usd: usdText(worth(raw, tokenIn)), amount, amountFormatted };
  };
  const parts = {
    swap: fee(0n),
    execution: fee(fees.relayerGas),
    platform: fee(fees.relayerService),
    app: fee(fees.app),
    sponsored: fee(0n),
  };
  return { quoted: parts, actual: paid === null ? null : parts, currency: amountOf(tokenIn, 0n).currency };
}

function quotedRoute(/** @type {Order} */ order) {
  const { tokenIn, tokenOut, amountIn, amountOut } = order;
  return legs(amountOf(tokenIn, amountIn), carried(order), amountOf(tokenOut, amountOut));
}

/** Before the fill lands, the destination names the bridged token instead of the token that the recipient gets. */
function actualRoute(/** @type {Order} */ order) {
  const { tokenIn, tokenOut, amountIn, paid, delivered } = order;
  const between = carried(order, paid ?? amountIn);
  const out = delivered === null ? between : amountOf(tokenOut, delivered);
  return legs(amountOf(tokenIn, paid ?? amountIn), between, out);
}

/** @typedef {ReturnType<typeof amountOf>} Amount */
function legs(/** @type {Amount} */ paid, /** @type {Amount} */ between, /** @type {Amount} */ out) {
  return {
    origin: { inputCurrency: paid, outputCurrency: between, router: 'relay' },
    destination: { inputCurrency: between, outputCurrency: out, router: 'relay' },
  };
}

function requestType(/** @type {Order} */ { tokenIn, tokenOut }) {
  if (tokenIn.chainId === tokenOut.chainId) return tokenIn === tokenOut ? 'Send' : 'Same-chain Swap';
  return tokenIn.symbol === tokenOut.symbol ? 'Bridge' : 'Crosschain Swap';
}

function features(/** @type {Order} */ { address, appFees }) {
  return [...(address === null ? [] : ['deposit_address']), ...(appFees.length === 0 ? [] : ['app_fees'])];
}

function protocolObject(/** @type {Order} */ order) {
  const { tokenIn, paid, amountIn, depositor, sweeps } = order;
  const origin = knownChain(tokenIn.chainId);
  return {
    orderId: order.orderId,
    hubType: 'onchain',
    isWithdrawable: order.status === 'failure',
    solver: addressFrom('solver', 'evm'),
    deposit: {
      origin: {
        amount: (paid ?? amountIn).toString(),
        chainId: origin.name,
        currency: tokenIn.address,
        depositor,
        depository: depositoryOf(origin),
        transactionId: sweeps[0]?.txHash ?? null,
      },
    },
    settlement: {
      destination: {
        fills: transactions(order.fills),
        refunds: transactions(order.refunds),
      },
    },
  };
}

function transactions(/** @type {readonly Tx[]} */ txs) {
  return txs.map(({ txHash, chainId }) => ({ chainId: knownChain(chainId).name, transactionId: txHash }));
}
