const JITTER = 0.1;
const RETRY_AFTER_UP_TO_MS = 24 * 3_600_000;

/** The wait before the next attempt; null when the schedule is used up. `attempts` is the number of attempts so far. */
export function retryInMs(
  scheduleMs: readonly number[],
  attempts: number,
  retryAfterMs: number | null,
  random: () => number,
): number | null {
  const wait = scheduleMs[attempts - 1];
  if (wait === undefined) return null;
  const jittered = wait * (1 + JITTER * (2 * random() - 1));
  const asked = Math.min(retryAfterMs ?? 0, RETRY_AFTER_UP_TO_MS);
  return Math.round(Math.max(jittered, asked));
}
