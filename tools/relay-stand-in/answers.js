// @ts-check
/** Relay's error bodies, in all of their shapes. */
import { recorded } from './recorded/recorded.js';

/** @typedef {import('../stand-in/http-server.js').Answer} Answer */

export const KEY_MISSING = answer(400, recorded('requests-without-key'));
export const REFERRER_WITHOUT_KEY = answer(401, recorded('quote-without-key'));
export const QUOTE_WITHOUT_KEY = answer(401, { message: 'missing an api key', errorCode: 'UNAUTHORIZED' });
export const UNKNOWN_STATUS = answer(200, recorded('status-of-unknown'));

/** @returns {Answer} */
export function answer(/** @type {number} */ status, /** @type {unknown} */ body) {
  return { status, body };
}

/** How Relay refuses a quote. */
export function refusal(/** @type {string} */ errorCode, /** @type {string} */ message, status = 400) {
  return answer(status, { message, errorCode });
}

/** The refusal of Relay's web framework for a body that does not fit the schema. */
export function invalid(/** @type {string} */ message) {
  return answer(400, { statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message });
}
