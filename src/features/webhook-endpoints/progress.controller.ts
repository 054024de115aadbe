import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { PaymentProgresses, type PaymentProgress } from '../../ports/payment-progress.ts';
import { type UntoldEvents, UntoldPayments } from '../../ports/untold-payments.ts';
import { ProgressesAnswer, ProgressQuery, quoteIdsOf } from './progress.dto.ts';

interface ProgressView extends PaymentProgress {
  readonly untold: readonly UntoldEvents[];
}

/** Returns for many payments at once when they are polled, and which events their destinations have acknowledged. */
@ApiTags('Payments')
@Allow(ACCESS.inspect)
@Controller('api/payment-progress')
export class ProgressController {
  constructor(
    private readonly progresses: PaymentProgresses,
    private readonly untold: UntoldPayments,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listPaymentProgress',
    summary: 'The next polls of payments, and what their destinations have acknowledged',
  })
  @ApiOkResponse({ type: ProgressesAnswer })
  async of(@Query() query: ProgressQuery): Promise<{ data: ProgressView[] }> {
    const quoteIds = quoteIdsOf(query);
    const [progresses, untold] = await Promise.all([this.progresses.of(quoteIds), this.untold.of(quoteIds)]);
    return { data: progresses.map((each) => ({ ...each, untold: untold.get(each.quoteId) ?? [] })) };
  }
}
