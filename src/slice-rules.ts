import type { Provider } from '@nestjs/common';

import { EnvKeys } from './access/env-keys.ts';
import type { Access, Config } from './config.ts';
import { AsyncApiRules } from './events/asyncapi-rules.ts';
import { GatewayRules } from './gateway/gateway-rules.ts';
import { HousekeepingRules } from './operations/housekeeping.ts';
import type { OpenSetting } from './http/open.ts';
import { OpenPlaces } from './http/open-places.ts';
import { PaymentProvider } from './ports/payment-provider.ts';
import { TrackingRules } from './tracking/tracking-rules.ts';
import { stalledAfterMs, urgencyRules } from './urgency-rules.ts';
import { VERSION } from './version.ts';
import { WebhookLimits } from './webhooks/webhook-limits.ts';

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
