import { ValidateIf } from 'class-validator';

import { MustBe } from './must-be.ts';

/** What lists have in common: how long a page is, and where it begins. */

export const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 20;
const MAX_CURSOR = 500;

/** `?status=` is what a form sends for a filter that is not set. */
export function IfGiven(): PropertyDecorator {
  return ValidateIf((_query, value: unknown) => value !== undefined && value !== '');
}

export function MustBeLimit(): PropertyDecorator {
  return MustBe(`an integer from 1 to ${MAX_LIMIT}`, isLimit);
}

export function MustBeCursor(): PropertyDecorator {
  return MustBe('a nextCursor of this list', isCursor);
}

function isLimit(value: unknown): boolean {
  return (
    typeof value === 'string' && /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT
  );
}

function isCursor(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CURSOR;
}
