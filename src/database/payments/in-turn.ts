let last: Promise<void> = Promise.resolve();
let waiting = 0;

/**
 * Runs pieces of work that each keep the process busy for many milliseconds: one after another, and while others wait, with a
 * pause as long as the piece before. Half of the process's time stays free for quotes, polls and deliveries.
 */
export async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = last;
  const ends: (() => void)[] = [];
  last = new Promise<void>((resolve) => void ends.push(resolve));
  waiting += 1;
  await before;
  waiting -= 1;
  const beganAt = performance.now();
  try {
    return await work();
  } finally {
    const pauseMs = waiting === 0 ? 0 : performance.now() - beganAt;
    for (const end of ends) setTimeout(end, pauseMs);
  }
}
