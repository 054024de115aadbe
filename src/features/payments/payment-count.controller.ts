import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { CountAnswer } from '../../platform/http/count-answer.ts';
import type { Counted } from '../../ports/attention.ts';
import { Payments } from '../../ports/payments.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { conditionsOf } from './payment-filter.ts';
import { PaymentCountQuery } from './payments-query.dto.ts';

/** Beside the list's path, not under it: a quote id may be any word. */
@ApiTags('Payments')
@Allow(ACCESS.read)
@Controller('api/payment-count')
export class PaymentCountController {
  constructor(
    private readonly payments: Payments,
    private readonly cells: ProviderCells,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'countPayments',
    summary: 'How many payments the list has, exact up to 10,000',
  })
  @ApiOkResponse({ type: CountAnswer })
  of(@Query() query: PaymentCountQuery): Promise<Counted> {
    return this.payments.count(conditionsOf(query, this.cells.everyName));
  }
}
