import { inspect } from 'node:util';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_EVERY_MS = 20;

export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
  /** The awaited condition in words, for the message. */
  readonly what?: string;
}

type Met<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Resolves with the first truthy value of `condition`; after the time-out, the error shows the last value. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<Met<T>> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, everyMs = DEFAULT_EVERY_MS, what = condition.toString() } = options;
  const giveUpAt = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value) return value as Met<T>;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= giveUpAt) break;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  throw new Error(`waited ${timeoutMs} ms in vain for ${what}; the last value was ${inspect(last)}`);
}
