import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { cursorOf, LOG_START, type LogPosition } from '../../domain/event/log-position.ts';
import { ACCESS, Allow } from '../../platform/http/access.ts';
import { JsonText } from '../../platform/http/json-text.ts';
import { EventLog } from '../../ports/event-log.ts';
import { DEFAULT_LIMIT, EventLogAnswer, EventsQuery, typesOf } from './events.dto.ts';
import { positionAfter } from './start-position.ts';

/** The log of all events. */
@ApiTags('Events')
@Allow(ACCESS.read)
@Controller('api/events')
export class EventsController {
  constructor(private readonly log: EventLog) {}

  @Get()
  @ApiOperation({
    operationId: 'listEvents',
    summary: 'Read the log of all events, in an order that never changes',
  })
  @ApiOkResponse({ type: EventLogAnswer })
  async read(@Query() query: EventsQuery): Promise<{ data: JsonText[]; nextCursor: string }> {
    const { quoteId, orderId, limit } = query;
    const position = await this.startOf(query);
    const filter = {
      types: typesOf(query),
      ...(quoteId ? { quoteId } : {}),
      ...(orderId ? { orderId } : {}),
    };
    const { events, last } = await this.log.read(position, filter, limit ? Number(limit) : DEFAULT_LIMIT);
    return { data: events.map(({ body }) => new JsonText(body)), nextCursor: cursorOf(last) };
  }

  private startOf({ after, last }: EventsQuery): Promise<LogPosition> {
    if (after) return positionAfter(this.log, after);
    return last ? this.log.beforeLast(Number(last)) : Promise.resolve(LOG_START);
  }
}
