import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { adviceOn } from '../../domain/delivery/failure-advice.ts';
import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { JsonText } from '../../platform/http/json-text.ts';
import {
  DeliveryLog,
  type DeliveryDetail,
  type LoggedAttempt,
  type LoggedDelivery,
} from '../../ports/delivery-log.ts';
import { DeliveriesAnswer, DeliveriesQuery, DeliveryDetailAnswer } from './deliveries.dto.ts';
import { filterOf } from './delivery-filter.ts';

const DELIVERY_ID = /^[1-9]\d{0,17}$/;

/** A delivery with its event and attempts; `DeliveryDetailAnswer` describes it. */
type DeliveryDetailView = ReturnType<typeof detailOf>;

/** No delivery has this id, or retention has removed its payment. */
export class UnknownWebhookDelivery extends Error {
  readonly code = 'unknown_webhook_delivery';
  constructor() {
    super('There is no webhook delivery with this id.');
  }
}

/** Lists, reads and retries the deliveries. */
@ApiTags('Webhook deliveries')
@Allow(ACCESS.inspect)
@Controller('api/webhook-deliveries')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveryLog) {}

  @Get()
  @ApiOperation({
    operationId: 'listDeliveries',
    summary: 'List deliveries, newest first or oldest first: to webhook endpoints, or to all destinations',
  })
  @ApiOkResponse({ type: DeliveriesAnswer })
  async list(
    @Query() query: DeliveriesQuery,
  ): Promise<{ data: LoggedDelivery[]; nextCursor: string | null }> {
    const { deliveries: data, nextCursor } = await this.deliveries.list(filterOf(query));
    return { data, nextCursor };
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getDelivery', summary: 'One delivery, with its event and every attempt' })
  @ApiOkResponse({ type: DeliveryDetailAnswer })
  async one(@Param('id') id: string): Promise<DeliveryDetailView> {
    return detailOf(await this.find(id));
  }

  /**
   * If the delivery waits for an earlier event, makes that event due; sends a delivery that ended once more, out of order.
   */
  @Post(':id/retry')
  @Allow(ACCESS.repair)
  @Audited('delivery.retry')
  @HttpCode(200)
  @ApiOperation({ operationId: 'retryDelivery', summary: 'Try a delivery now, outside its schedule' })
  @ApiOkResponse({ type: DeliveryDetailAnswer })
  async retry(@Param('id') id: string): Promise<DeliveryDetailView> {
    const isKnown = DELIVERY_ID.test(id) && (await this.deliveries.retry(id));
    if (!isKnown) throw new UnknownWebhookDelivery();
    return detailOf(await this.find(id));
  }

  private async find(id: string): Promise<DeliveryDetail> {
    const delivery = DELIVERY_ID.test(id) ? await this.deliveries.find(id) : null;
    if (delivery === null) throw new UnknownWebhookDelivery();
    return delivery;
  }
}

/** Keeps the text of the event, which was signed. */
function detailOf({ eventText, attempts, ...delivery }: DeliveryDetail) {
  return { ...delivery, event: new JsonText(eventText), attempts: attempts.map(attemptOf) };
}

function attemptOf({ madeAt, excerpt, ...attempt }: LoggedAttempt) {
  const { failure, code } = attempt;
  const advice = failure === null ? null : adviceOn(failure, code);
  return { ...attempt, at: madeAt, advice, body: excerpt };
}
