import { Controller, Get, Headers, Param, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';

import { whyMissing } from '../adoption/unknown-payment.ts';
import { LOG_START, type LogPosition } from '../../domain/event/log-position.ts';
import { ACCESS, Allow } from '../../platform/http/access.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { QuoteIdPipe } from '../../platform/http/quote-id.pipe.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { EventLog } from '../../ports/event-log.ts';
import { Payments } from '../../ports/payments.ts';
import { beginStream } from './begin-stream.ts';
import { StreamQuery, typesOf } from './events.dto.ts';
import { positionAfter } from './start-position.ts';
import { commentFrame } from './stream-frame.ts';
import type { StreamStart } from './stream-client.ts';
import { Streams } from './streams.ts';

type StreamRequest = Pick<StreamStart, 'filter' | 'from' | 'note'>;

const GONE = 'The event of Last-Event-ID is not in the log any more: these are all events that there are.';
const A_STREAM = {
  description: 'Server-Sent Events: `id`, `event` (its type) and `data` (the event).',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
} as const;
const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  required: false,
  description: 'The id of the last event that was received: the stream goes on after it.',
};

/** Events as they happen, as Server-Sent Events. */
@ApiTags('Events')
@Allow(ACCESS.read)
@Controller('api')
export class StreamsController {
  /** Shared, since clients that reconnect at once often have the same last event. */
  private readonly finds = new SharedWork<LogPosition | null>();

  constructor(
    private readonly log: EventLog,
    private readonly streams: Streams,
    private readonly payments: Payments,
  ) {}

  @Get('events/stream')
  @ApiOperation({
    operationId: 'streamEvents',
    summary: 'All events from now on, or after one, as Server-Sent Events',
  })
  @ApiHeader(LAST_EVENT_ID)
  @ApiOkResponse(A_STREAM)
  async all(
    @Query() query: StreamQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: KeyedRequest,
    @Res() response: Response,
  ): Promise<void> {
    this.streams.checkRoom(keyNameOf(request));
    // A client that reconnects repeats its first URL, so Last-Event-ID takes precedence over `after`.
    const start = lastEventId ? await this.resume(lastEventId) : await this.begin(query.after);
    await this.open(request, response, { ...start, filter: { types: typesOf(query), payment: null } });
  }

  @Get('payments/:quoteId/stream')
  @ApiOperation({
    operationId: 'streamPaymentEvents',
    summary: "A payment's events from its first one, or after one, as Server-Sent Events",
  })
  @ApiParam({ name: 'quoteId' })
  @ApiHeader(LAST_EVENT_ID)
  @ApiOkResponse(A_STREAM)
  async ofPayment(
    @Param('quoteId', QuoteIdPipe) quoteId: string,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: KeyedRequest,
    @Res() response: Response,
  ): Promise<void> {
    this.streams.checkRoom(keyNameOf(request));
    const payment = await this.streamed(quoteId);
    const start = lastEventId ? await this.resume(lastEventId) : { from: LOG_START };
    await this.open(request, response, { ...start, filter: { types: [], payment } });
  }

  /** Uses the stored spelling of the id: a UUID in another letter case is the same. */
  private async streamed(quoteId: string): Promise<{ id: string; quoteId: string }> {
    const id = await this.log.paymentIdOf(quoteId);
    if (id !== null) return { id, quoteId };
    const stored = await this.payments.read(quoteId);
    const storedId = typeof stored === 'string' ? null : await this.log.paymentIdOf(stored.quoteId);
    if (typeof stored === 'string' || storedId === null) throw whyMissing(stored);
    return { id: storedId, quoteId: stored.quoteId };
  }

  private async begin(after: string | undefined): Promise<{ from: LogPosition }> {
    return { from: after ? await positionAfter(this.log, after) : await this.streams.now() };
  }

  /** EventSource reconnects for ever after an error, so that a missing event must not cause an error. */
  private async resume(lastEventId: string): Promise<{ from: LogPosition; note?: string }> {
    const from = await this.finds.run(lastEventId, () => this.log.find(lastEventId));
    return from === null ? { from: LOG_START, note: commentFrame(GONE) } : { from };
  }

  private async open(request: KeyedRequest, response: Response, stream: StreamRequest): Promise<void> {
    // Throws if the database is away: a stream begins only with a key that can be checked.
    await request.isKeyKnown?.();
    const end = await this.streams.now();
    const keyName = keyNameOf(request);
    this.streams.checkRoom(keyName);
    if (!beginStream(request, response)) return;
    const { isKeyKnown: isAllowed, accessId } = request;
    this.streams.open(response, { ...stream, keyName, isAllowed, accessId }, end);
  }
}

/** The API key guard has set the name. */
function keyNameOf({ apiKeyName = '' }: KeyedRequest): string {
  return apiKeyName;
}
