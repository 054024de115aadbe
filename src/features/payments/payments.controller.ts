import { Controller, Get, HttpCode, Param, Post, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';

import { elementTexts, memberText } from '../../domain/text/member-text.ts';
import { ACCESS, Allow, Audited, Forbidden } from '../../platform/http/access.ts';
import { ListOrOneFields } from '../../platform/http/body-fields.ts';
import { inSpan } from '../../platform/http/in-span.ts';
import { JsonText } from '../../platform/http/json-text.ts';
import { callerOf, type KeyedRequest } from '../../platform/http/keyed-request.ts';
import { DEFAULT_LIMIT } from '../../platform/http/list-query.ts';
import { ListOrOne } from '../../platform/http/read-fields.ts';
import { QuoteIdPipe } from '../../platform/http/quote-id.pipe.ts';
import { Payments } from '../../ports/payments.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { Tracer } from '../../ports/tracer.ts';
import { CsvDownloads } from './csv-downloads.ts';
import { HandOver } from './hand-over.ts';
import { EventsAnswer, PaymentAnswer, PaymentsAnswer } from './payment-answers.dto.ts';
import { viewOf, type PaymentView } from './payment-view.ts';
import { filterOf } from './payment-filter.ts';
import { PaymentsQuery } from './payments-query.dto.ts';
import { PaymentsService, trackOutcome } from './payments.service.ts';
import { HandOverAnswer, HandOverBody, PaymentEventsQuery, TrackBody } from './payments.dto.ts';
import { trackOrder } from './track-order.ts';

const AS_CSV = 'text/csv';
const A_PAGE_OR_FILE = {
  description:
    'A page; with `Accept: text/csv` a file of all payments from the cursor on, by the same filters. A file that breaks off ends without its last chunk.',
  content: {
    'application/json': { schema: { $ref: getSchemaPath(PaymentsAnswer) } },
    [AS_CSV]: { schema: { type: 'string' } },
  },
} as const;

const ONE_OR_MANY_QUOTES = {
  oneOf: [{ $ref: getSchemaPath(TrackBody) }, { $ref: getSchemaPath(HandOverBody) }],
};
const ONE_OR_MANY_RESULTS = {
  oneOf: [{ $ref: getSchemaPath(PaymentAnswer) }, { $ref: getSchemaPath(HandOverAnswer) }],
};

/** Tracks, lists, reads and refreshes payments. */
@ApiTags('Payments')
@Allow(ACCESS.read)
@Controller('api/payments')
export class PaymentsController {
  constructor(
    private readonly service: PaymentsService,
    private readonly payments: Payments,
    private readonly downloads: CsvDownloads,
    private readonly tracer: Tracer,
    private readonly cells: ProviderCells,
    private readonly handOver: HandOver,
  ) {}

  @Post()
  @Allow(ACCESS.track)
  @Audited('payment.track', { bodyField: 'quoteId' })
  @ApiOperation({
    operationId: 'trackPayment',
    summary: 'Track quotes that were created elsewhere, or name the order of a payment',
    description:
      'One quote, or up to 500 in `payments`, which are answered with a result each. To repeat it is harmless. Another order of a completed payment is 409 `order_already_named`; the roles operator and admin may name one, for one payment at a time. An operator tracks no quote.',
  })
  @ApiExtraModels(TrackBody, HandOverBody, PaymentAnswer, HandOverAnswer)
  @ApiBody({ schema: ONE_OR_MANY_QUOTES })
  @ApiCreatedResponse({ type: PaymentAnswer, description: 'It is tracked from now on.' })
  @ApiOkResponse({
    schema: ONE_OR_MANY_RESULTS,
    description:
      'It was tracked already; the orderId and metadata of the body, if any, are set, and its quote if there was none. Or the results of `payments`, in their order.',
  })
  async track(
    @ListOrOneFields(new ListOrOne(HandOverBody, TrackBody)) body: HandOverBody | TrackBody,
    @Req() request: KeyedRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PaymentView | HandOverAnswer> {
    if (request.role === 'operator' && !(await this.corrects(body)))
      throw new Forbidden(request, ACCESS.submit);
    const text = request.bodyText?.() ?? '';
    if (body instanceof TrackBody) return this.trackOne(body, text, request, response);
    response.status(200);
    const texts = elementTexts(memberText(text, 'payments') ?? '[]') ?? [];
    return { data: await this.handOver.run(texts, callerOf(request)) };
  }

  /** An operator may only name the order of a payment that is already tracked here. */
  private async corrects(body: HandOverBody | TrackBody): Promise<boolean> {
    if (!(body instanceof TrackBody) || typeof body.orderId !== 'string') return false;
    return (await this.payments.find(body.quoteId)) !== null;
  }

  private async trackOne(
    body: TrackBody,
    text: string,
    request: KeyedRequest,
    response: Response,
  ): Promise<PaymentView> {
    const mayRename = ACCESS.repair.some((role) => role === request.role);
    const order = { ...trackOrder(body, text), mayRename };
    const span = this.tracer.requested('POST /api/payments', request.headers['traceparent']);
    const track = async () => {
      const tracked = await this.service.track(body.quoteId, order, callerOf(request), span);
      const { previousOrderId = null } = tracked;
      if (previousOrderId !== null) request.changed = { previousOrderId };
      response.status(tracked.isNew ? 201 : 200);
      return tracked;
    };
    return viewOf((await inSpan(span, response, track, trackOutcome)).payment);
  }

  @Get()
  @ApiOperation({ operationId: 'listPayments', summary: 'List payments, newest first or oldest first' })
  @ApiExtraModels(PaymentsAnswer)
  @ApiOkResponse(A_PAGE_OR_FILE)
  async list(
    @Query() query: PaymentsQuery,
    @Req() request: KeyedRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: PaymentView[]; nextCursor: string | null } | StreamableFile> {
    const filter = filterOf(query, this.cells.everyName);
    const limit = query.limit ? Number(query.limit) : null;
    response.vary('accept');
    if (request.accepts('json', AS_CSV) === AS_CSV) return this.downloads.open(filter, limit, request);
    const { payments, nextCursor } = await this.payments.list({ ...filter, limit: limit ?? DEFAULT_LIMIT });
    return { data: payments.map(viewOf), nextCursor };
  }

  @Get(':quoteId')
  @ApiOperation({ operationId: 'getPayment', summary: 'One payment' })
  @ApiParam({ name: 'quoteId' })
  @ApiOkResponse({ type: PaymentAnswer })
  async one(@Param('quoteId', QuoteIdPipe) quoteId: string): Promise<PaymentView> {
    return viewOf(await this.service.find(quoteId));
  }

  @Get(':quoteId/events')
  @ApiOperation({ operationId: 'listPaymentEvents', summary: "A payment's events, in order" })
  @ApiParam({ name: 'quoteId' })
  @ApiOkResponse({ type: EventsAnswer })
  async events(
    @Param('quoteId', QuoteIdPipe) quoteId: string,
    @Query() { cursor }: PaymentEventsQuery,
  ): Promise<{ data: JsonText[]; nextCursor?: string }> {
    const { events, nextCursor } = await this.service.eventsOf(quoteId, cursor || null);
    const data = events.map((text) => new JsonText(text));
    return nextCursor === null ? { data } : { data, nextCursor };
  }

  @Post(':quoteId/refresh')
  @Allow(ACCESS.refresh)
  @HttpCode(200)
  @ApiOperation({ operationId: 'refreshPayment', summary: 'Poll a payment now, at most once a second' })
  @ApiParam({ name: 'quoteId' })
  @ApiOkResponse({ type: PaymentAnswer })
  async refresh(
    @Param('quoteId', QuoteIdPipe) quoteId: string,
    @Req() request: KeyedRequest,
  ): Promise<PaymentView> {
    return viewOf(await this.service.refresh(quoteId, callerOf(request)));
  }
}
