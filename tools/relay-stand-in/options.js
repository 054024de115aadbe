// @ts-check
/** The open points of the fact sheet are options, which a test may change at any time. */

/**
 * The limits of requests for one key in a minute, by §1.3 of the sheet. @typedef {{ quote: number, requests: number, other:
 * number }} Limits
 */
/** @typedef {keyof Limits} Bucket */
/**
 * @typedef {object} RelayOptions
 * @property {string} apiKey
 * @property {Limits} limits Infinity switches one off
 * @property {{ now(): Date }} clock
 * @property {'by-trade-type' | 'as-asked' | 'open' | 'strict'} addressType what a quote's deposit address becomes
 * @property {boolean} listsWaiting a request without a deposit is listed, and its status is `waiting`, not `unknown`
 * @property {boolean} hasCurrenciesV2
 */

/** @type {Limits} */
export const DEFAULT_LIMITS = { quote: 50, requests: 200, other: 200 };
/** @type {Limits} */
export const NO_LIMITS = { quote: Infinity, requests: Infinity, other: Infinity };

/** The fact sheet's likeliest answers. @returns {RelayOptions} */
export function withDefaults(/** @type {Partial<RelayOptions> & { apiKey: string }} */ given) {
  return {
    limits: DEFAULT_LIMITS,
    clock: { now: () => new Date() },
    addressType: 'by-trade-type',
    listsWaiting: false,
    hasCurrenciesV2: true,
    ...given,
  };
}
