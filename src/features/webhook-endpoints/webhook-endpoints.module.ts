import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { DeliveriesController } from './deliveries.controller.ts';
import { DeliveryCountController } from './delivery-count.controller.ts';
import { EndpointActionsController } from './endpoint-actions.controller.ts';
import { FailuresController } from './failures.controller.ts';
import { ProgressController } from './progress.controller.ts';
import { ReplayWorker } from './replay-worker.ts';
import { ReplaysController } from './replays.controller.ts';
import { SecretReencryption } from './secret-reencryption.ts';
import { WebhookTestLimiter } from './webhook-test-limiter.ts';
import { WebhookEndpointsController } from './webhook-endpoints.controller.ts';
import { WebhookEndpointsSettings } from './webhook-endpoints.settings.ts';

const CONTROLLERS = [
  WebhookEndpointsController,
  EndpointActionsController,
  ReplaysController,
  DeliveriesController,
  DeliveryCountController,
  FailuresController,
  ProgressController,
];

/** The API of webhook endpoints, their deliveries and their replays. */
@Module({})
export class WebhookEndpointsModule {
  static with({ roles, webhookMaxEndpoints: endpoints }: Config): DynamicModule {
    return {
      module: WebhookEndpointsModule,
      controllers: roles.has('api') ? CONTROLLERS : [],
      providers: [
        { provide: WebhookEndpointsSettings, useValue: new WebhookEndpointsSettings({ endpoints }) },
        WebhookTestLimiter,
        ...(roles.has('tracker') ? [SecretReencryption] : []),
        ...(roles.has('dispatcher') ? [ReplayWorker] : []),
      ],
    };
  }
}
