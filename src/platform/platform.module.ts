import { randomUUID } from 'node:crypto';

import { Global, Module, type Provider } from '@nestjs/common';
import { Registry } from 'prom-client';

import { Config } from '../config/config.ts';
import { Clock } from '../ports/clock.ts';
import { Meter } from '../ports/meter.ts';
import { Metrics } from '../ports/metrics.ts';
import { ClockSkew } from '../ports/readiness.ts';
import { ThisReplica } from '../ports/replicas.ts';
import { Timers } from '../ports/timers.ts';
import { Tracer, UNTRACED } from '../ports/tracer.ts';
import { FigureCounter } from './metrics/figure-counter.ts';
import { ProcessMeter } from './metrics/process-meter.ts';
import { PrometheusMetrics } from './metrics/prometheus-metrics.ts';
import { fingerprintsOf } from './process/agreed-settings.ts';
import { CorrectedClock } from './process/corrected-clock.ts';
import { VERSION } from './version.ts';
import { SYSTEM_TIMERS } from './scheduling/system-timers.ts';
import { DeliverySignals } from './scheduling/delivery-signals.ts';
import { DueSignals, ProofSignal, ReplaySignal } from './scheduling/wake-signal.ts';

const PROVIDERS: Provider[] = [
  { provide: CorrectedClock, useFactory: () => new CorrectedClock() },
  { provide: Clock, useExisting: CorrectedClock },
  { provide: ClockSkew, useExisting: CorrectedClock },
  { provide: Timers, useValue: SYSTEM_TIMERS },
  { provide: Registry, useFactory: () => new Registry() },
  FigureCounter,
  { provide: Meter, useClass: ProcessMeter },
  { provide: Metrics, useClass: PrometheusMetrics },
  {
    provide: ThisReplica,
    useFactory: (config: Config) =>
      new ThisReplica(randomUUID(), [...config.roles], VERSION, fingerprintsOf(config)),
    inject: [Config],
  },
  {
    provide: Tracer,
    // The SDK takes time and memory to load: a process without traces does not load it.
    useFactory: async ({ tracing }: Config, { id }: ThisReplica) => {
      if (tracing === null) return UNTRACED;
      const { OpenTelemetryTracer } = await import('./tracing/otel-tracer.ts');
      return new OpenTelemetryTracer(tracing, id);
    },
    inject: [Config, ThisReplica],
  },
  DueSignals,
  DeliverySignals,
  ReplaySignal,
  ProofSignal,
];

/** The clock, the timers, the metrics and the signals that wake the loops of this process, for every module. */
@Global()
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class PlatformModule {}
