import { Controller, Get, Headers, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';

import { isQuoteId } from '../../domain/payment/reading.ts';
import { ACCESS, Allow } from '../../platform/http/access.ts';
import { BodyFields } from '../../platform/http/body-fields.ts';
import { inSpan } from '../../platform/http/in-span.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import { JsonText } from '../../platform/http/json-text.ts';
import { callerOf, type KeyedRequest } from '../../platform/http/keyed-request.ts';
import { AnyParameters } from '../../platform/http/known-parameters.interceptor.ts';
import { A_QUOTE_ID } from '../../platform/http/must-be.ts';
import { Tracer } from '../../ports/tracer.ts';
import { ChainLists } from './chain-lists.ts';
import { CurrenciesBody } from './currencies.dto.ts';
import { ChainsAnswer, CurrenciesAnswer, QuoteAnswer, PaymentStatusAnswer } from './quotes-answers.dto.ts';
import { type MadeQuote, QuoteService } from './quote.service.ts';
import { QuoteBody, toQuoteOrder } from './quote.dto.ts';
import { StatusService } from './status.service.ts';
import { TokenSearch } from './token-search.ts';

/** The spec's four endpoints. They return a single provider's answers verbatim, and merge the lists of several. */
@ApiTags('Payment service')
@AnyParameters()
@Allow(ACCESS.read)
@Controller('api')
export class QuotesController {
  constructor(
    private readonly quotes: QuoteService,
    private readonly statuses: StatusService,
    private readonly chains: ChainLists,
    private readonly tokens: TokenSearch,
    private readonly tracer: Tracer,
  ) {}

  @Post('quote')
  @Allow(ACCESS.submit)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'createQuote',
    summary: 'Create a quote with its one-time deposit address; it is tracked from then on',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Same key and same body: the same quote again, for 24 h, with the `expiresIn` that is left; 409 `quote_no_longer_payable` with its `quoteId` once it is paid or over. Up to 255 printable ASCII characters.',
  })
  @ApiBody({ type: QuoteBody })
  @ApiOkResponse({
    type: QuoteAnswer,
    headers: {
      'Idempotency-Replayed': { schema: { type: 'string' }, description: '`true` for the same quote again' },
      'Paybell-Warning': {
        schema: { type: 'string', enum: ['order_has_payment'] },
        description: 'The order has another payment, which completed or is under way: it may be paid twice',
      },
    },
  })
  async quote(
    @BodyFields(QuoteBody) body: QuoteBody,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: KeyedRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JsonText> {
    const order = toQuoteOrder(body, request.apiKeyName ?? '', key);
    const span = this.tracer.requested('POST /api/quote', request.headers['traceparent']);
    const waitedMs = performance.now() - (request.arrivedAtMs ?? performance.now());
    const make = () => this.quotes.make({ ...order, waitedMs, span });
    const quote = await inSpan(span, response, make, outcomeOf);
    if (quote.hasPayment) response.set('paybell-warning', 'order_has_payment');
    if (quote.isReplayed) response.set('idempotency-replayed', 'true');
    return new JsonText(quote.text);
  }

  @Get('status/:id')
  @ApiOperation({
    operationId: 'getStatus',
    summary: 'How a payment stands, as last reported; costs the provider nothing',
  })
  @ApiParam({ name: 'id', description: 'The quoteId.' })
  @ApiOkResponse({
    type: PaymentStatusAnswer,
    headers: { 'Last-Modified': { schema: { type: 'string' }, description: 'When the provider said so' } },
  })
  async status(
    @Param('id') id: string,
    @Req() request: KeyedRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JsonText> {
    if (!isQuoteId(id)) throw new InvalidField('id', `must be ${A_QUOTE_ID}`);
    const { text, reportedAt } = await this.statuses.read(id, callerOf(request));
    if (reportedAt !== null) response.set('last-modified', reportedAt.toUTCString());
    return new JsonText(text);
  }

  @Get('chains')
  @ApiOperation({ operationId: 'listChains', summary: 'The supported chains' })
  @ApiOkResponse({ type: ChainsAnswer })
  async listChains(): Promise<JsonText> {
    return new JsonText(await this.chains.text());
  }

  @Post('currencies')
  @HttpCode(200)
  @ApiOperation({ operationId: 'searchCurrencies', summary: 'Search tokens by address, symbol or name' })
  @ApiBody({ type: CurrenciesBody })
  @ApiOkResponse({ type: CurrenciesAnswer })
  async currencies(@BodyFields(CurrenciesBody) body: CurrenciesBody): Promise<JsonText> {
    return new JsonText(await this.tokens.search(body));
  }
}

function outcomeOf({ isReplayed }: MadeQuote): string {
  return isReplayed ? 'replayed' : 'made';
}
