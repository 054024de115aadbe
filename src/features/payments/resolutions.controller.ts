import { Controller, Delete, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { OnlyBodyFields } from '../../platform/http/body-fields.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { QuoteIdPipe } from '../../platform/http/quote-id.pipe.ts';
import { PaymentAnswer } from './payment-answers.dto.ts';
import { viewOf, type PaymentView } from './payment-view.ts';
import { ResolveBody } from './payments.dto.ts';
import { PaymentsService } from './payments.service.ts';

/** Records that a person has settled a payment by hand. */
@ApiTags('Payments')
@Controller('api/payments/:quoteId/resolve')
export class ResolutionsController {
  constructor(private readonly service: PaymentsService) {}

  @Post()
  @HttpCode(200)
  @Allow(ACCESS.repair)
  @Audited('payment.resolve')
  @ApiOperation({
    operationId: 'resolvePayment',
    summary: 'Say that a person has settled a payment otherwise',
    description:
      'One `payment.updated` with `data.resolution` is recorded; the same reason and note again record none. The status stands and polling goes on: a new status takes the resolution back.',
  })
  @ApiParam({ name: 'quoteId' })
  @ApiBody({ type: ResolveBody })
  @ApiOkResponse({ type: PaymentAnswer })
  async resolve(
    @Param('quoteId', QuoteIdPipe) quoteId: string,
    @OnlyBodyFields(ResolveBody) { reason, note = null }: ResolveBody,
    @Req() { apiKeyName: by = '' }: KeyedRequest,
  ): Promise<PaymentView> {
    return viewOf(await this.service.resolve(quoteId, { reason, note, by }));
  }

  @Delete()
  @HttpCode(200)
  @Allow(ACCESS.repair)
  @Audited('payment.unresolve')
  @ApiOperation({
    operationId: 'unresolvePayment',
    summary: 'Take a resolution back',
    description: 'One `payment.updated` with `data.resolution` null is recorded, if there was a resolution.',
  })
  @ApiParam({ name: 'quoteId' })
  @ApiOkResponse({ type: PaymentAnswer })
  async takeBack(@Param('quoteId', QuoteIdPipe) quoteId: string): Promise<PaymentView> {
    return viewOf(await this.service.resolve(quoteId, null));
  }
}
