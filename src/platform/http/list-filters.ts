import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

import { A_DATE_TIME, isDateTime } from './date-time.ts';
import { IfGiven, MustBeFlag, Repeatable } from './list-query.ts';
import { MustBe, MustBeOrderId, MustBeQuoteId } from './must-be.ts';

/** The filters that several lists have: their documentation and their validation. */

/** An instant at which a window of time begins or ends. */
export function FilterTime(): PropertyDecorator {
  return filter({ required: false, format: 'date-time' }, MustBe(A_DATE_TIME, isDateTime));
}

/** `true`, or `false` for the others. */
export function FilterFlag(): PropertyDecorator {
  return filter({ type: Boolean, required: false }, MustBeFlag());
}

export function FilterOrderId(): PropertyDecorator {
  return filter({ required: false, minLength: 1, maxLength: 200 }, MustBeOrderId());
}

export function FilterQuoteId(): PropertyDecorator {
  return filter({ required: false, maxLength: 128 }, MustBeQuoteId());
}

/** One name in PROVIDER, or several. */
export function FilterProviders(): PropertyDecorator {
  const shape = { required: false, isArray: true, type: String, example: ['relay'] };
  return filter(shape, Repeatable(), MustBe('names of providers', areWords));
}

function filter(shape: Parameters<typeof ApiProperty>[0], ...rules: PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(ApiProperty(shape), IfGiven(), ...rules);
}

function areWords(value: unknown): boolean {
  return [value].flat().every((name) => typeof name === 'string');
}
