import { CHAPTERS, sentencesOf } from './sentences.ts';
import { tellingOf } from './standing.ts';
import type { Story } from './story.ts';
import { adviceOf, type Need } from './to-do.ts';

/** A payment's story: what became of the money and who knows, and what a person has to do. */
export interface ToldPayment {
  readonly story: string;
  /** Null: a person has nothing to do. */
  readonly toDo: string | null;
  /** The first need of the payment names the card of Attention in which it stands. */
  readonly need: Need | null;
}

/** Tells a payment in the order in which it is understood: the deposit, the provider, the chain, the order, and the receivers. */
export function tellPayment(story: Story): ToldPayment {
  const telling = tellingOf(story);
  const sentences = CHAPTERS.flatMap((chapter) => sentencesOf(chapter, telling));
  const advice = adviceOf(telling);
  return { story: sentences.join(' '), toDo: advice?.words ?? null, need: advice?.need ?? null };
}
