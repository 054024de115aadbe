import { AnswerTimes } from '../../src/features/polling/provider-troubles.ts';
import type { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import { PollRecorder } from '../../src/features/polling/poll-recorder.ts';
import { ProviderCircuit } from '../../src/features/polling/provider-circuit.ts';
import { ProviderLimiter } from '../../src/features/polling/provider-limiter.ts';
import { RateLimitView } from '../../src/features/polling/rate-limit-view.ts';
import { TrackerMaintenance } from '../../src/features/polling/tracker-maintenance.ts';
import { Tracker } from '../../src/features/polling/tracker.ts';
import type { WakeSignal } from '../../src/platform/scheduling/wake-signal.ts';
import type { PaymentProvider } from '../../src/ports/payment-provider.ts';
import type { ProviderRateLimit } from '../../src/ports/provider-rate-limit.ts';
import type { Schedule } from '../../src/ports/schedule.ts';
import { UNTRACED } from '../../src/ports/tracer.ts';
import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { FakeMeter } from '../../test/support/fakes/meter.fake.ts';
import type { VirtualClock } from './virtual-clock.ts';

interface Parts {
  readonly schedule: Schedule;
  readonly provider: PaymentProvider;
  readonly rateLimit: ProviderRateLimit;
  readonly settings: PollingSettings;
  readonly due: WakeSignal;
}

/** A tracker like that of the process, on the virtual clock and these stores. */
export function trackerOn(
  time: VirtualClock,
  { schedule, provider, rateLimit, settings, due }: Parts,
): Tracker {
  const { clock } = time;
  const meter = new FakeMeter();
  const view = new RateLimitView(rateLimit, provider, time);
  const answers = new AnswerTimes(provider, time);
  const circuit = new ProviderCircuit(rateLimit, view, answers, clock, time, settings.urgency.pollIntervalMs);
  const recorder = new PollRecorder(
    schedule,
    new DeliverySignals(),
    circuit,
    meter,
    clock,
    time,
    settings,
    UNTRACED,
  );
  const limiter = new ProviderLimiter(rateLimit, view, circuit, time);
  const maintenance = new TrackerMaintenance(schedule, rateLimit, view, recorder, clock, time, settings);
  const parts = { recorder, limiter, maintenance, view, answers };
  return new Tracker(schedule, provider, parts, time, meter, settings, due);
}
