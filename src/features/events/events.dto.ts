import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

import { EVENT_TYPES, type EventType } from '../../domain/event/event.ts';
import { AN_EVENT } from '../../platform/http/event-shapes.ts';
import { IfGiven, PageCursor, Repeatable } from '../../platform/http/list-query.ts';
import { MustBe } from '../../platform/http/must-be.ts';
import { FilterOrderId, FilterQuoteId } from '../../platform/http/list-filters.ts';

const MAX_LIMIT = 1_000;
const MAX_TYPES = 100;
export const DEFAULT_LIMIT = 100;

function isLimit(value: unknown): boolean {
  return (
    typeof value === 'string' && /^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT
  );
}

function isEventType(word: unknown): word is EventType {
  return EVENT_TYPES.some((type) => type === word);
}

function areTypes(value: unknown): boolean {
  const words = wordsOf(value);
  return words.length <= MAX_TYPES && words.every(isEventType);
}

function wordsOf(value: unknown): unknown[] {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  return given.flatMap((part) => (typeof part === 'string' ? part.split(',') : [part]));
}

/** The types of a validated query, each once; empty: every type. */
export function typesOf({ type }: { readonly type?: string | string[] }): EventType[] {
  return type === undefined || type === '' ? [] : [...new Set(wordsOf(type).filter(isEventType))].sort();
}

function FilterTypes(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, isArray: true, enum: EVENT_TYPES }),
    IfGiven(),
    Repeatable(),
    MustBe(`one or several of ${EVENT_TYPES.join(', ')}`, areTypes),
  );
}

/** The start and the filter of a stream. */
export class StreamQuery {
  /** The stream begins after this position: an event's id, or a `nextCursor`. Default: from now on. */
  @PageCursor()
  after?: string;

  /** Only events of these types; the parameter may be repeated, or hold several types separated by commas. */
  @FilterTypes()
  type?: string | string[];
}

/** The start and the filters of a page of the log. */
export class EventsQuery {
  /** `nextCursor` of the page before, or the id of an event. Default: from the beginning. */
  @PageCursor()
  after?: string;

  /** In place of `after`: the page begins with this number of last events. */
  @ApiProperty({ type: 'integer', required: false, minimum: 1, maximum: MAX_LIMIT })
  @IfGiven()
  @MustBe(`an integer from 1 to ${MAX_LIMIT}`, isLimit)
  last?: string;

  /** Only events of these types; the parameter may be repeated, or hold several types separated by commas. */
  @FilterTypes()
  type?: string | string[];

  /** Only events of this payment. */
  @FilterQuoteId()
  quoteId?: string;

  /** Only events of the payments of this order. */
  @FilterOrderId()
  orderId?: string;

  @ApiProperty({ type: 'integer', required: false, minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
  @IfGiven()
  @MustBe(`an integer from 1 to ${MAX_LIMIT}`, isLimit)
  limit?: string;
}

/** A page of the log; each event is the CloudEvent that every destination gets. */
export class EventLogAnswer {
  @ApiProperty({ type: 'array', items: AN_EVENT })
  data!: object[];

  /** The `after` of the next page, even when there are no more events yet. */
  @ApiProperty({ type: String })
  nextCursor!: string;
}

/** An event type. */
export class SchemaAnswer {
  @ApiProperty({ type: String })
  type!: string;

  /** The meaning of the event. */
  @ApiProperty({ type: String })
  summary!: string;

  /** The path of the type's JSON Schema. */
  @ApiProperty({ type: String })
  schema!: string;
}

/** All event types. */
export class SchemasAnswer {
  @ApiProperty({ type: [SchemaAnswer] })
  data!: SchemaAnswer[];
}
