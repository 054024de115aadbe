import { count, counted } from '../../../src/domain/story/words.ts';

export { count, counted, grouped, money } from '../../../src/domain/story/words.ts';

interface Counted {
  readonly count: number;
  readonly isMore: boolean;
}

/** `7 payments`; `10,000 or more payments`; null if the count did not finish in time. */
export function total({ count: value, isMore }: Counted, one: string, many?: string): string | null {
  if (!isMore) return counted(value, one, many);
  return value === 0 ? null : `${count(value)} or more ${many ?? `${one}s`}`;
}

/** Pending deliveries are counted up to this number. */
const MOST_COUNTED = 10_000;

/** `12`, or `10,000 or more` if counting stopped there. */
export function atLeast(value: number, isMore = value >= MOST_COUNTED): string {
  return isMore ? `${count(value)} or more` : count(value);
}
