import { Module } from '@nestjs/common';

import { Config } from '../../config/config.ts';
import { OperationalWebhooks } from '../../ports/operational-events.ts';
import { WebhookTester } from '../../ports/webhook-tester.ts';
import { WebhookUrls } from '../../ports/webhook-urls.ts';
import { AddressGuard } from '../../platform/outbound/address-guard.ts';
import { HostLookup } from '../../platform/outbound/guarded-connector.ts';
import { WebhookUrlCheck } from './webhook-url-check.ts';
import { WebhookClient, WebhookSender } from './webhook-sender.ts';
import { WEBHOOK } from './webhook-descriptor.ts';
import { WebhookDestination } from './webhook-destination.ts';
import { WebhookTestSender } from './webhook-test-sender.ts';
import { WebhookSettings } from './webhook.settings.ts';

/** Webhooks to the merchant's endpoints: deliveries, tests, and the check of their URLs. */
@Module({
  providers: [
    { provide: WebhookSettings, useExisting: Config },
    {
      provide: AddressGuard,
      useFactory: (config: Config) => new AddressGuard(config.webhookAllowedCidrs, config.webhookAllowHttp),
      inject: [Config],
    },
    {
      provide: WebhookClient,
      useFactory: (guard: AddressGuard, { webhookTimeoutMs: timeoutMs }: Config) =>
        new WebhookClient(guard, new HostLookup(), { timeoutMs }),
      inject: [AddressGuard, Config],
    },
    WebhookSender,
    WebhookDestination,
    { provide: OperationalWebhooks, useExisting: WebhookDestination },
    { provide: WebhookUrls, useClass: WebhookUrlCheck },
    { provide: WebhookTester, useClass: WebhookTestSender },
  ],
  exports: [WebhookDestination, OperationalWebhooks, WebhookUrls, WebhookTester],
})
export class WebhookModule {
  static wire() {
    return {
      module: { module: WebhookModule },
      descriptor: WEBHOOK,
      destination: WebhookDestination,
      health: null,
    };
  }
}
