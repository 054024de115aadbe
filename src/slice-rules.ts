import type { Provider } from '@nestjs/common';

import { EnvKeys } from './features/api-keys/env-keys.ts';
import type { Access, Config } from './config/config.ts';
import { AsyncApiRules } from './features/events/asyncapi.settings.ts';
import { GatewayRules } from './features/quotes/quotes.settings.ts';
import { HousekeepingRules } from './features/health/housekeeping.ts';
import type { OpenSetting } from './platform/http/open-route.ts';
import { OpenPlaces } from './platform/http/open-paths.ts';
import { PaymentProvider } from './ports/payment-provider.ts';
import { TrackingRules } from './features/polling/polling.settings.ts';
import { stalledAfterMs, urgencyRules } from './urgency-rules.ts';
import { VERSION } from './platform/process/version.ts';
import { WebhookLimits } from './features/webhook-endpoints/webhook-endpoints.settings.ts';

const DAY_MS = 86_400_000;

/** Settings in the words of the slice that goes by them. */
export function sliceRules(config: Config): Provider[] {
  const minGapMs = Math.round(config.pollMinGapMs / config.speed);
  return [
    {
      provide: TrackingRules,
      useFactory: ({ limits }: PaymentProvider) =>
        new TrackingRules(urgencyRules(config), stalledAfterMs(config), minGapMs, limits.timeoutMs),
      inject: [PaymentProvider],
    },
    {
      provide: AsyncApiRules,
      useValue: new AsyncApiRules(VERSION, config.rabbitmqExchange, config.rabbitmqTrackQueue),
    },
    { provide: GatewayRules, useValue: new GatewayRules({ minGapMs }) },
    { provide: WebhookLimits, useValue: new WebhookLimits({ endpoints: config.webhookMaxEndpoints }) },
    { provide: EnvKeys, useValue: new EnvKeys(config.apiKeys) },
    { provide: OpenPlaces, useValue: openPlaces(config) },
    { provide: HousekeepingRules, useValue: new HousekeepingRules(config.retentionDays * DAY_MS) },
  ];
}

function openPlaces({ metrics, docs }: Config): OpenPlaces {
  const settings = Object.entries({ metrics, docs }) as [OpenSetting, Access][];
  return new OpenPlaces(new Set(settings.flatMap(([name, access]) => (access === 'open' ? [name] : []))));
}
