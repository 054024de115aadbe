// @ts-check
/** Relay's webhooks: signed over the bytes that are sent. */
import { createHmac } from 'node:crypto';

import { addressObject, hashesOf } from './request-object.js';

/** @typedef {import('./orders.js').Order} Order */
/**
 * @typedef {object} NoticeOptions
 * @property {string} key signs
 * @property {Date} [at]
 * @property {'ms' | 's'} [timestampUnit] Relay does not say which
 * @property {'body' | 'signature' | 'timestamp' | 'unsigned'} [tamper] after it was signed
 * @property {'title' | 'lower'} [headerCase]
 * @property {boolean} [pretty] the same JSON in other bytes, which a receiver that writes it anew gets wrong
 */

const MS = 1_000;

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

/** Lowercase hex of HMAC-SHA256 over `timestamp.body`. */
export function signatureOf(
  /** @type {string} */ timestamp,
  /** @type {string | Buffer} */ body,
  /** @type {string} */ key,
) {
  return createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex');
}

/** The headers and bytes of one notice. */
export function signedNotice(/** @type {object} */ body, /** @type {NoticeOptions} */ options) {
  const {
    key,
    at = new Date(),
    timestampUnit = 'ms',
    tamper,
    headerCase = 'title',
    pretty = false,
  } = options;
  const text = JSON.stringify(body, null, pretty ? 2 : 0);
  const instant = timestampUnit === 'ms' ? at.getTime() : Math.floor(at.getTime() / MS);
  const signature = signatureOf(String(instant), text, key);
  const shown =
    tamper === 'signature' ? `${signature.slice(0, -1)}${signature.endsWith('0') ? '1' : '0'}` : signature;
  /** @type {Record<string, string>} */
  const headers = { 'Content-Type': 'application/json' };
  if (tamper !== 'unsigned') {
    headers['X-Signature-Timestamp'] = String(tamper === 'timestamp' ? instant + 1 : instant);
    headers['X-Signature-SHA256'] = shown;
  }
  const cased = Object.entries(headers).map(([name, value]) => [
    headerCase === 'lower' ? name.toLowerCase() : name,
    value,
  ]);
  return { headers: Object.fromEntries(cased), body: tamper === 'body' ? `${text} ` : text };
}
