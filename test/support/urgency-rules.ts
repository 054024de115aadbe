/** The intervals of the default settings; polling-intervals.test.ts holds them against the code. */
export const URGENCY_RULES = {
  gapMs: 5_050,
  pollIntervalMs: 7_000,
  inFlightMs: 5_050,
  attendedMs: 90_000,
  lateWatchMs: 86_400_000,
  watchFromMs: 30_000,
  watchUpToMs: 43_200_000,
  afterCompletionMs: [60_000, 600_000, 3_600_000, 21_600_000, 86_400_000],
  backoffUpToMs: 60_000,
};
