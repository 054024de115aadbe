import { Controller, Delete, HttpCode, Param, Post, Req } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';

import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { OnlyBodyFields } from '../../platform/http/body-fields.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { QuoteIdPipe } from '../../platform/http/quote-id.pipe.ts';
import { PaymentAnswer } from './payment-answers.dto.ts';
import { viewOf, type PaymentView } from './payment-view.ts';
import { DepositBody, ReleaseBody, ResolveBody } from './payments.dto.ts';
import { PaymentsService } from './payments.service.ts';

const ACCEPTED = 202;

/**
 * A person acts on a payment: says that it is settled, completes it while its completion is withheld, or passes the
 * transaction of a deposit on to the provider.
 */
@ApiTags('Payments')
@Controller('api/payments/:quoteId')
export class PaymentActionsController {
  constructor(private readonly service: PaymentsService) {}

  @Post('resolve')
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

  @Delete('resolve')
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
  async unresolve(@Param('quoteId', QuoteIdPipe) quoteId: string): Promise<PaymentView> {
    return viewOf(await this.service.resolve(quoteId, null));
  }

  @Post('release')
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

  @Post('deposit')
  @HttpCode(ACCEPTED)
  @Allow(ACCESS.refresh)
  @Audited('payment.deposit')
  @ApiOperation({
    operationId: 'submitDeposit',
    summary: "Tell the provider the transaction of a payer's deposit",
    description:
      'For a deposit that the provider does not see. It is a hint: the status moves when the provider reports it. The hash is passed on, and stored only where VERIFY is on and a witness looks for it. 404 `no_deposit_hints`: neither takes it.',
  })
  @ApiParam({ name: 'quoteId' })
  @ApiBody({ type: DepositBody })
  @ApiAcceptedResponse({ type: PaymentAnswer })
  async submitDeposit(
    @Param('quoteId', QuoteIdPipe) quoteId: string,
    @OnlyBodyFields(DepositBody) { txHash }: DepositBody,
  ): Promise<PaymentView> {
    return viewOf(await this.service.submitDeposit(quoteId, txHash));
  }
}
