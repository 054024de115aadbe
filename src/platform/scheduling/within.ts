import type { Timers } from '../../ports/timers.ts';

/** The work continues, but its result came too late. */
export class TookTooLong extends Error {
  constructor(limitMs: number) {
    super(`no result within ${limitMs} ms`);
  }
}

/** The result of `work`; throws TookTooLong when it takes longer than `limitMs`. */
export function within<Result>(limitMs: number, timers: Timers, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(limitMs, () => reject(new TookTooLong(limitMs)));
    void work.then(resolve, reject).finally(cancel);
  });
}
