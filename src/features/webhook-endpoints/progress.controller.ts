import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { PaymentProgresses, type PaymentProgress } from '../../ports/payment-progress.ts';
import { ProgressesAnswer, ProgressQuery, quoteIdsOf } from './progress.dto.ts';

/** Says of many payments at once when they are polled, and what their destinations have acknowledged. */
@ApiTags('Payments')
@Allow(ACCESS.inspect)
@Controller('api/payment-progress')
export class ProgressController {
  constructor(private readonly progresses: PaymentProgresses) {}

  @Get()
  @ApiOperation({ summary: 'The next polls of payments, and what their destinations have acknowledged' })
  @ApiOkResponse({ type: ProgressesAnswer })
  async of(@Query() query: ProgressQuery): Promise<{ data: PaymentProgress[] }> {
    return { data: await this.progresses.of(quoteIdsOf(query)) };
  }
}
