import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The answers of several, null for one that fails or that answers more than `graceMs` after the first. Throws the first
 * one's error when all fail.
 */
export async function answersWithin<Answer>(
  asked: readonly Promise<Answer>[],
  graceMs: number,
): Promise<(Answer | null)[]> {
  const answers: (Answer | null)[] = asked.map(() => null);
  const noted = asked.map(async (answer, index) => {
    answers[index] = await answer;
  });
  const settled = Promise.allSettled(noted);
  try {
    await Promise.any(noted);
  } catch (error) {
    throw (error as AggregateError).errors[0];
  }
  const waiting = new AbortController();
  const graceOver = sleep(graceMs, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([settled, graceOver]);
  waiting.abort();
  return [...answers];
}
