import { type DynamicModule, Global, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { TrackRequests } from '../../ports/track-requests.ts';
import { CsvDownloads } from './csv-downloads.ts';
import { HandOver } from './hand-over.ts';
import { OrdersController } from './orders.controller.ts';
import { PaymentCountController } from './payment-count.controller.ts';
import { PaymentActionsController } from './payment-actions.controller.ts';
import { PaymentsController } from './payments.controller.ts';
import { PaymentsService } from './payments.service.ts';
import { TrackMessages } from './track-messages.ts';

const CONTROLLERS = [PaymentsController, PaymentCountController, PaymentActionsController, OrdersController];

/** The payments API, and requests by message to track a payment. */
@Global()
@Module({})
export class PaymentsModule {
  static with({ roles }: Config): DynamicModule {
    return {
      module: PaymentsModule,
      controllers: roles.has('api') ? CONTROLLERS : [],
      providers: [
        PaymentsService,
        HandOver,
        CsvDownloads,
        { provide: TrackRequests, useClass: TrackMessages },
      ],
      exports: [TrackRequests],
    };
  }
}
