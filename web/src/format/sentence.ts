import { grouped } from './amount.ts';

/** A part of a sentence of the API: `code` stood between backticks, `time` is an instant. */
export interface Part {
  readonly kind: 'text' | 'code' | 'time';
  readonly text: string;
}

const INSTANT = /(\d{4}-\d\d-\d\dT[\d:.]+Z)/;
const BLOCK = /\b(block )(\d+)/gi;

/** Splits a sentence into parts that are shown in their own ways, and groups the digits of its blocks. */
export function partsOf(sentence: string): Part[] {
  return sentence.split('`').flatMap((text, index): Part[] => {
    if (index % 2 === 1) return [{ kind: 'code', text }];
    const words = text.replaceAll(BLOCK, (_all, block: string, number: string) => block + grouped(number));
    return words
      .split(INSTANT)
      .map((part, place): Part => ({ kind: place % 2 === 1 ? 'time' : 'text', text: part }))
      .filter((part) => part.text !== '');
  });
}
