import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { OnlyBodyFields } from '../../platform/http/body-fields.ts';
import { QuoteIdPipe } from '../../platform/http/quote-id.pipe.ts';
import { PaymentAnswer } from './payment-answers.dto.ts';
import { viewOf, type PaymentView } from './payment-view.ts';
import { DepositBody } from './payments.dto.ts';
import { PaymentsService } from './payments.service.ts';

const ACCEPTED = 202;

/** Passes the transaction of a payer's deposit on to the provider. */
@ApiTags('Payments')
@Controller('api/payments/:quoteId/deposit')
export class DepositsController {
  constructor(private readonly service: PaymentsService) {}

  @Post()
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
  async submit(
    @Param('quoteId', QuoteIdPipe) quoteId: string,
    @OnlyBodyFields(DepositBody) { txHash }: DepositBody,
  ): Promise<PaymentView> {
    return viewOf(await this.service.submitDeposit(quoteId, txHash));
  }
}
