// @ts-check
/** How Relay fails. */

/** @typedef {import('./answers.js').Answer} Answer */
/** @typedef {'html502' | 'html429' | 'json500' | 'json503' | 'unauthorized' | 'hang' | 'reset' | 'truncated' | 'slow'} Fault */
/** @typedef {{ kind: Fault, path: string | null, left: number, delayMs: number }} Planned */

const HTML = { 'content-type': 'text/html' };

/** What a fault answers; the others break the answer itself. @type {Readonly<Partial<Record<Fault, Answer>>>} */
export const FAULT_ANSWERS = {
  html502: { status: 502, headers: HTML, body: '<html><head><title>502 Bad Gateway</title></head></html>' },
  html429: {
    status: 429,
    headers: HTML,
    body: '<html><body>Error 1015: You are being rate limited</body></html>',
  },
  json500: { status: 500, body: { message: 'Internal Server Error', errorCode: 'UNKNOWN_ERROR' } },
  json503: {
    status: 503,
    body: { message: 'Service is temporarily unavailable', errorCode: 'SERVICE_UNAVAILABLE' },
  },
  unauthorized: { status: 401, body: { message: 'Invalid api key', errorCode: 'UNAUTHORIZED' } },
};

export class Faults {
  /** @type {Planned[]} */
  #planned = [];

  /** The next so many requests fail so, all of them if none is said; `path` for one endpoint only. */
  add(
    /** @type {Fault} */ kind,
    /** @type {{ times?: number, path?: string, delayMs?: number }} */ {
      times = Infinity,
      path,
      delayMs = 1_000,
    } = {},
  ) {
    this.#planned.push({ kind, path: path ?? null, left: times, delayMs });
  }

  clear() {
    this.#planned = [];
  }

  /** Null where this request is answered as usual. */
  next(/** @type {string} */ path) {
    const fault = this.#planned.find((planned) => planned.path === null || planned.path === path);
    if (fault === undefined) return null;
    fault.left -= 1;
    if (fault.left <= 0) this.#planned = this.#planned.filter((planned) => planned !== fault);
    return fault;
  }
}
