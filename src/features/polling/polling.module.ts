import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { minGapMs, stalledAfterMs, urgencyRules } from '../../domain/polling/urgency-rules.ts';
import { PaymentProvider } from '../../ports/payment-provider.ts';
import { PollRequests } from '../../ports/poll-requests.ts';
import { ProviderWatch } from '../../ports/provider-view.ts';
import { ProviderHealth } from '../../ports/readiness.ts';
import { AnswerTimes } from './answer-times.ts';
import { PollRecorder } from './poll-recorder.ts';
import { PollingSettings } from './polling.settings.ts';
import { ProviderCircuit } from './provider-circuit.ts';
import { ProviderLimiter } from './provider-limiter.ts';
import { RateLimitView } from './rate-limit-view.ts';
import { ScheduledPollRequests } from './scheduled-poll-requests.ts';
import { TrackerMaintenance } from './tracker-maintenance.ts';
import { Tracker } from './tracker.ts';

const PORTS: Provider[] = [
  { provide: PollRequests, useExisting: ScheduledPollRequests },
  { provide: ProviderHealth, useExisting: ProviderCircuit },
  { provide: ProviderWatch, useExisting: ProviderCircuit },
];

/** Polls open payments: the tracker by schedule, every process at once when a caller asks. */
@Global()
@Module({})
export class PollingModule {
  static with(config: Config): DynamicModule {
    return {
      module: PollingModule,
      providers: [
        settings(config),
        RateLimitView,
        AnswerTimes,
        ProviderCircuit,
        ProviderLimiter,
        PollRecorder,
        ScheduledPollRequests,
        ...PORTS,
        ...(config.roles.has('tracker') ? [TrackerMaintenance, Tracker] : []),
      ],
      exports: [...PORTS, RateLimitView, PollRecorder],
    };
  }
}

function settings(config: Config): Provider {
  return {
    provide: PollingSettings,
    useFactory: ({ limits }: PaymentProvider) =>
      new PollingSettings(urgencyRules(config), stalledAfterMs(config), minGapMs(config), limits.timeoutMs),
    inject: [PaymentProvider],
  };
}
