// @ts-check
/** How a provider fails. */

/** @typedef {'html502' | 'html429' | 'json500' | 'json503' | 'unauthorized' | 'hang' | 'reset' | 'truncated' | 'slow'} Fault */
/** @typedef {{ kind: Fault, path: string | null, left: number, delayMs: number }} Planned */

export class Faults {
  /** @type {Planned[]} */
  #planned = [];

  /** Makes the next `times` requests fail in this way, all of them if none is stated; `path` for one endpoint only. */
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

  /** Null: this request is answered as usual. */
  next(/** @type {string} */ path) {
    const fault = this.#planned.find((planned) => planned.path === null || planned.path === path);
    if (fault === undefined) return null;
    fault.left -= 1;
    if (fault.left <= 0) this.#planned = this.#planned.filter((planned) => planned !== fault);
    return fault;
  }
}
