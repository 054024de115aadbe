import { Controller, Get, Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';

import { MOST_IN_ORDER, orderStateOf, type OrderState } from '../../domain/payment/order.ts';
import { isOrderId } from '../../domain/payment/order-fields.ts';
import { type OrderSums, sumsOf } from '../../domain/payment/order-sums.ts';
import { readRoute } from '../../domain/payment/route.ts';
import { ACCESS, Allow } from '../../platform/http/access.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import { AN_ORDER_ID } from '../../platform/http/must-be.ts';
import { Payments, type StoredPayment } from '../../ports/payments.ts';
import { OrderAnswer } from './orders.dto.ts';
import { viewOf, type PaymentView } from './payment-view.ts';

/** No payment has this order id. */
class UnknownOrder extends Error {
  readonly code = 'unknown_order';
  constructor() {
    super('No payment has this order id.');
  }
}

/** Refuses a path parameter that cannot be an order id. */
@Injectable()
class OrderIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!isOrderId(id)) throw new InvalidField('orderId', `must be ${AN_ORDER_ID}`);
    return id;
  }
}

/** An order with its payments, as the API returns it. */
interface OrderView extends OrderState {
  readonly orderId: string;
  readonly payments: readonly PaymentView[];
  readonly nextCursor: string | null;
  readonly sums: OrderSums;
}

/** Orders: a shop thinks in orders, a provider in quotes. */
@ApiTags('Payments')
@Allow(ACCESS.read)
@Controller('api/orders')
export class OrdersController {
  constructor(private readonly payments: Payments) {}

  @Get(':orderId')
  @ApiOperation({
    operationId: 'getOrder',
    summary: 'An order: its payments, newest first, and how they stand',
  })
  @ApiParam({ name: 'orderId' })
  @ApiOkResponse({ type: OrderAnswer })
  async one(@Param('orderId', OrderIdPipe) orderId: string): Promise<OrderView> {
    const { payments, nextCursor } = await this.payments.list({ orderId, limit: MOST_IN_ORDER });
    if (payments.length === 0) throw new UnknownOrder();
    const views = payments.map(viewOf);
    const sums = sumsOf(
      views.map(({ amounts }, index) => ({ amounts, route: readRoute(payments[index] as StoredPayment) })),
    );
    return { orderId, payments: views, nextCursor, ...orderStateOf(payments), sums };
  }
}
