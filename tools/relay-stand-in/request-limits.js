// @ts-check
/** Relay's limits of requests in any minute, by key and by kind of endpoint. */

/** @typedef {import('./options.js').Bucket} Bucket */
/** @typedef {import('./options.js').Limits} Limits */

const MINUTE_MS = 60_000;

export class RequestLimits {
  /** How many requests were answered 429. @type {Record<Bucket, number>} */
  tooMany = { quote: 0, requests: 0, other: 0 };
  /** When each key's requests of the last minute came. @type {Map<string, number[]>} */
  #taken = new Map();

  /** False for a request over the limit; such a request, like one without a limit, does not count. */
  take(
    /** @type {Bucket} */ bucket,
    /** @type {string | null} */ key,
    /** @type {Limits} */ limits,
    /** @type {number} */ now,
  ) {
    if (limits[bucket] === Infinity) return true;
    const place = `${bucket}:${key ?? ''}`;
    const recent = (this.#taken.get(place) ?? []).filter((at) => at > now - MINUTE_MS);
    const isFree = recent.length < limits[bucket];
    if (isFree) recent.push(now);
    else this.tooMany[bucket] += 1;
    this.#taken.set(place, recent);
    return isFree;
  }
}

/** The limit that applies to a path. @returns {Bucket} */
export function bucketOf(/** @type {string} */ path) {
  if (path === '/quote' || path === '/quote/v2') return 'quote';
  return path === '/requests/v3' ? 'requests' : 'other';
}
