// @ts-check
/** The open points of the fact sheet are options; a test may change one at any time. */

/** Requests a minute and key: the sheet's §1.3. @typedef {{ quote: number, requests: number, other: number }} Limits */
/** @typedef {keyof Limits} Bucket */
/**
 * @typedef {object} RelayOptions
 * @property {string} apiKey
 * @property {readonly string[]} otherKeys keys of other merchants
 * @property {Limits} limits Infinity switches one off
 * @property {{ now(): Date }} clock
 * @property {number | null} retryAfterSeconds with 429; Relay promises none
 * @property {'by-trade-type' | 'as-asked' | 'open' | 'strict'} addressType what a quote's deposit address becomes
 * @property {boolean} reusesAddresses an open address belongs to its route: a second quote shows it again
 * @property {boolean} listsWaiting a request without a deposit is listed, and its status is `waiting`, not `unknown`
 * @property {boolean} requiresRefundTo for strict addresses, and for swaps on the destination
 * @property {number} requoteAfterMs a later deposit at an open address makes a new request
 * @property {boolean} setsSuperseded a re-quoted deposit's first request points to the new one; at present only Bitcoin's do
 * @property {boolean} topLevelRequestId
 * @property {boolean} topLevelFees
 * @property {boolean} mixedCase quotes show EVM deposit addresses with upper-case letters, the other reads do not
 * @property {bigint} serviceBps Relay's own fee; negative for a reward
 * @property {readonly string[]} sanctionedWallets
 * @property {string} nonSolverCode how an input that no deposit address takes is refused
 * @property {boolean} hasCurrenciesV2
 */

/** @type {Limits} */
export const DEFAULT_LIMITS = { quote: 50, requests: 200, other: 200 };
/** @type {Limits} */
export const NO_LIMITS = { quote: Infinity, requests: Infinity, other: Infinity };

/** The fact sheet's likeliest answers. @returns {RelayOptions} */
export function withDefaults(/** @type {Partial<RelayOptions> & { apiKey: string }} */ given) {
  return {
    otherKeys: [],
    limits: DEFAULT_LIMITS,
    clock: { now: () => new Date() },
    retryAfterSeconds: null,
    addressType: 'by-trade-type',
    reusesAddresses: false,
    listsWaiting: false,
    requiresRefundTo: true,
    requoteAfterMs: 30_000,
    setsSuperseded: false,
    topLevelRequestId: true,
    topLevelFees: true,
    mixedCase: false,
    serviceBps: 5n,
    sanctionedWallets: [],
    nonSolverCode: 'UNSUPPORTED_CURRENCY',
    hasCurrenciesV2: true,
    ...given,
  };
}
