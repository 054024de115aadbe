import { grouped } from './amount.ts';

/** A part of a sentence of the API: `code` stood between backticks, `time` is an instant. */
export interface Part {
  readonly kind: 'text' | 'code' | 'time';
  readonly text: string;
}

const INSTANT = /(\d{4}-\d\d-\d\dT[\d:.]+Z)/;
/** Numbers of blocks and amounts; an order or a chain may be called by a number too, which stays as it is. */
const NUMBER = /(?<=\b(?:block|brings|least) )\d+|\b\d+(?= (?:block|payment|deliver|event|order)[a-z]* )/gi;

/** Splits a sentence into parts that are shown in their own ways, and groups the digits of its numbers. */
export function partsOf(sentence: string): Part[] {
  return sentence.split('`').flatMap((text, index): Part[] => {
    if (index % 2 === 1) return [{ kind: 'code', text }];
    const words = text.replaceAll(NUMBER, grouped);
    return words
      .split(INSTANT)
      .map((part, place): Part => ({ kind: place % 2 === 1 ? 'time' : 'text', text: part }))
      .filter((part) => part.text !== '');
  });
}
