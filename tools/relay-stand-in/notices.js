// @ts-check
/** Relay's webhooks, signed over the sent bytes. */
import { createHmac } from 'node:crypto';

import { addressObject, hashesOf } from './request-object.js';

/** @typedef {import('./orders.js').Order} Order */
/**
 * @typedef {object} NoticeOptions
 * @property {string} key signs
 * @property {Date} [at]
 */

/** The notice of a request in its present state. */
export function noticeBody(/** @type {Order} */ order, /** @type {number} */ at) {
  return {
    event: 'request.status.updated',
    timestamp: at,
    data: {
      status: order.status,
      inTxHashes: hashesOf(order.sweeps),
      txHashes: hashesOf([...order.fills, ...order.refunds]),
      updatedAt: order.updatedAt,
      originChainId: order.tokenIn.chainId,
      destinationChainId: order.tokenOut.chainId,
      depositAddress: addressObject(order, 'depositAddressType'),
      requestId: order.id,
      referrer: order.referrer,
      details: order.failReason === null ? null : 'Failed swap',
      failReason: order.failReason ?? 'N/A',
      refundFailReason: order.refundFailReason ?? 'N/A',
    },
  };
}

/** The headers and bytes of one notice: lowercase hex of HMAC-SHA256 over `timestamp.body`. */
export function signedNotice(
  /** @type {object} */ body,
  /** @type {NoticeOptions} */ { key, at = new Date() },
) {
  const text = JSON.stringify(body);
  const timestamp = String(at.getTime());
  const signature = createHmac('sha256', key).update(`${timestamp}.${text}`).digest('hex');
  return {
    headers: {
      'Content-Type': 'application/json',
      'X-Signature-Timestamp': timestamp,
      'X-Signature-SHA256': signature,
    },
    body: text,
  };
}
