import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { OnlyBodyFields } from '../../platform/http/body-fields.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { QuoteIdPipe } from '../../platform/http/quote-id.pipe.ts';
import { PaymentAnswer } from './payment-answers.dto.ts';
import { viewOf, type PaymentView } from './payment-view.ts';
import { ReleaseBody } from './payments.dto.ts';
import { PaymentsService } from './payments.service.ts';

/** Completes a withheld payment on a person's word. */
@ApiTags('Payments')
@Controller('api/payments/:quoteId/release')
export class ReleasesController {
  constructor(private readonly service: PaymentsService) {}

  @Post()
  @HttpCode(200)
  @Allow(ACCESS.repair)
  @Audited('payment.release')
  @ApiOperation({
    operationId: 'releasePayment',
    summary: 'Complete a payment whose completion is withheld',
    description:
      'Where VERIFY waits for a proof that a person has no need of. `payment.completed` is recorded, with `data.verification` as it stands and `data.resolution`, whose reason is `released`. It cannot be taken back. 409 `not_withheld`: the payment waits for no proof.',
  })
  @ApiParam({ name: 'quoteId' })
  @ApiBody({ type: ReleaseBody })
  @ApiOkResponse({ type: PaymentAnswer })
  async release(
    @Param('quoteId', QuoteIdPipe) quoteId: string,
    @OnlyBodyFields(ReleaseBody) { reason: note }: ReleaseBody,
    @Req() { apiKeyName: by = '' }: KeyedRequest,
  ): Promise<PaymentView> {
    return viewOf(await this.service.release(quoteId, { note, by }));
  }
}
