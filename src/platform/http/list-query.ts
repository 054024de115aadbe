import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';

import { LIST_SORTS } from '../../ports/list-sort.ts';
import { MustBe } from './must-be.ts';

/** The query parameters that all lists share: the page's length and its start. */

export const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 20;
const REPEATABLE = 'paybell:repeatable';

/** Accepts an empty value: a form sends `?status=` for a filter that is not set. */
export function IfGiven(): PropertyDecorator {
  return ValidateIf((_query, value: unknown) => value !== undefined && value !== '');
}

/** Allows a parameter to be repeated; without this decorator a repeated parameter is refused. */
export function Repeatable(): PropertyDecorator {
  return Reflect.metadata(REPEATABLE, true);
}

export function isRepeatable(query: new () => object, name: string): boolean {
  return Reflect.getMetadata(REPEATABLE, query.prototype as object, name) === true;
}

/** Requires one of these words, or several of them when the parameter is repeated. */
export function MustBeWords(words: readonly string[]): PropertyDecorator {
  const isRight = (value: unknown): boolean => {
    const given: unknown[] = Array.isArray(value) ? value : [value];
    return given.length <= words.length && given.every((each) => words.some((word) => word === each));
  };
  return MustBe(`one of ${words.join(', ')}; it may be repeated, up to ${words.length} times`, isRight);
}

/** The distinct words of a validated parameter; empty when it is not given. */
export function wordsOf<Word extends string>(
  value: string | readonly string[] | undefined,
  words: readonly Word[],
): Word[] {
  const given = typeof value === 'string' ? [value] : (value ?? []);
  return words.filter((word) => given.includes(word));
}

/** Requires the word `true` or `false`. */
export function MustBeFlag(): PropertyDecorator {
  return MustBe('true or false', (value) => value === 'true' || value === 'false');
}

/** The value of a validated flag; undefined when it is not given. */
export function flagOf(value: string | undefined): boolean | undefined {
  return value ? value === 'true' : undefined;
}

/** The parameter for a page's length. */
export function PageLimit(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      type: 'integer',
      required: false,
      minimum: 1,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
    }),
    IfGiven(),
    MustBe(`an integer from 1 to ${MAX_LIMIT}`, isLimit),
  );
}

/** The parameter that chooses the end from which a list by time is read. */
export function PageSort(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, enum: LIST_SORTS, default: 'newest' }),
    IfGiven(),
    MustBe(`one of ${LIST_SORTS.join(', ')}`, (value) => LIST_SORTS.some((word) => word === value)),
  );
}

/**
 * The parameter that says after which entry a page begins. Only the list can tell whether a cursor is its own: see
 * InvalidCursor.
 */
export function PageCursor(): PropertyDecorator {
  return applyDecorators(ApiProperty({ required: false }), IfGiven(), MustBe('one text', isText));
}

function isLimit(value: unknown): boolean {
  return (
    typeof value === 'string' && /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
