import type { Provider } from '@nestjs/common';

import { EnvKeys } from './features/api-keys/env-keys.ts';
import type { Access, Config } from './config/config.ts';
import { AsyncApiSettings } from './features/events/asyncapi.settings.ts';
import { QuoteSettings } from './features/quotes/quotes.settings.ts';
import { HousekeepingSettings } from './features/health/housekeeping.ts';
import type { OpenSetting } from './platform/http/open-route.ts';
import { OpenPaths } from './platform/http/open-paths.ts';
import { PaymentProvider } from './ports/payment-provider.ts';
import { PollingSettings } from './features/polling/polling.settings.ts';
import { stalledAfterMs, urgencyRules } from './urgency-rules.ts';
import { VERSION } from './platform/process/version.ts';
import { WebhookEndpointSettings } from './features/webhook-endpoints/webhook-endpoints.settings.ts';

const DAY_MS = 86_400_000;

/** Settings in the words of the slice that goes by them. */
export function sliceRules(config: Config): Provider[] {
  const minGapMs = Math.round(config.pollMinGapMs / config.speed);
  return [
    {
      provide: PollingSettings,
      useFactory: ({ limits }: PaymentProvider) =>
        new PollingSettings(urgencyRules(config), stalledAfterMs(config), minGapMs, limits.timeoutMs),
      inject: [PaymentProvider],
    },
    {
      provide: AsyncApiSettings,
      useValue: new AsyncApiSettings(VERSION, config.rabbitmqExchange, config.rabbitmqTrackQueue),
    },
    { provide: QuoteSettings, useValue: new QuoteSettings({ minGapMs }) },
    {
      provide: WebhookEndpointSettings,
      useValue: new WebhookEndpointSettings({ endpoints: config.webhookMaxEndpoints }),
    },
    { provide: EnvKeys, useValue: new EnvKeys(config.apiKeys) },
    { provide: OpenPaths, useValue: openPlaces(config) },
    { provide: HousekeepingSettings, useValue: new HousekeepingSettings(config.retentionDays * DAY_MS) },
  ];
}

function openPlaces({ metrics, docs }: Config): OpenPaths {
  const settings = Object.entries({ metrics, docs }) as [OpenSetting, Access][];
  return new OpenPaths(new Set(settings.flatMap(([name, access]) => (access === 'open' ? [name] : []))));
}
