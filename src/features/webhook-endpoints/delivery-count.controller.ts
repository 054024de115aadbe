import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { CountAnswer } from '../../platform/http/count-answer.ts';
import type { Counted } from '../../ports/attention.ts';
import { DeliveryLog } from '../../ports/delivery-log.ts';
import { DeliveryCountQuery } from './deliveries.dto.ts';
import { conditionsOf } from './delivery-filter.ts';

/** Counts the entries of `/api/webhook-deliveries`. */
@ApiTags('Webhook deliveries')
@Allow(ACCESS.inspect)
@Controller('api/webhook-delivery-count')
export class DeliveryCountController {
  constructor(private readonly deliveries: DeliveryLog) {}

  @Get()
  @ApiOperation({
    operationId: 'countDeliveries',
    summary: 'How many deliveries the list has, exact up to 10,000',
  })
  @ApiOkResponse({ type: CountAnswer })
  of(@Query() query: DeliveryCountQuery): Promise<Counted> {
    return this.deliveries.count(conditionsOf(query));
  }
}
