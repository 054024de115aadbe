import { CHAPTERS, sentencesOf, type Chapter } from './sentences.ts';
import { tellingOf, type Story } from './standing.ts';

/** A payment's story: where the money is, who knows of it, and what a person has to do. */
export interface ToldPayment {
  readonly story: string;
  /** Null: a person has nothing to do. */
  readonly toDo: string | null;
}

/** Tells a payment in an order that explains it: the deposit, the provider, the chain, the receivers, and what to do. */
export function tellPayment(story: Story): ToldPayment {
  const telling = tellingOf(story);
  const say = (chapter: Chapter): string => sentencesOf(chapter, telling).join(' ');
  const chapters = CHAPTERS.filter((chapter) => chapter !== 'toDo').map(say);
  const toDo = say('toDo');
  return { story: chapters.filter(Boolean).join(' '), toDo: toDo === '' ? null : toDo };
}
