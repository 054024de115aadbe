import { minGapMs, stalledAfterMs, urgencyRules } from '../../src/domain/polling/urgency-rules.ts';
import { AnswerTimes } from '../../src/features/polling/provider-troubles.ts';
import { PollRecorder } from '../../src/features/polling/poll-recorder.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import { ProviderCircuit } from '../../src/features/polling/provider-circuit.ts';
import { RateLimitView } from '../../src/features/polling/rate-limit-view.ts';
import { ScheduledPollRequests } from '../../src/features/polling/scheduled-poll-requests.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Meter } from '../../src/ports/meter.ts';
import type { PaymentProvider } from '../../src/ports/payment-provider.ts';
import type { ProviderRateLimit } from '../../src/ports/provider-rate-limit.ts';
import type { Schedule } from '../../src/ports/schedule.ts';
import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { FakeClock } from './fakes/clock.fake.ts';
import { FakeMeter } from './fakes/meter.fake.ts';
import { FakeProvider } from './fakes/provider.fake.ts';
import { POLLING } from './poll-results.ts';

const TIMES = {
  pollIntervalMs: 7_000,
  pollMinGapMs: 5_000,
  lateWatchMs: 86_400_000,
  stalledAfterMs: 900_000,
  speed: 1,
};

interface Ports {
  readonly schedule: Schedule;
  readonly provider?: PaymentProvider;
  readonly rateLimit: ProviderRateLimit;
  readonly meter?: Meter;
  readonly clock?: Clock;
  readonly circuit?: ProviderCircuit;
}

interface RecorderParts {
  readonly clock?: Clock;
  readonly signals?: DeliverySignals;
  readonly circuit?: ProviderCircuit;
}

export function circuitOn(rateLimit: ProviderRateLimit, provider: PaymentProvider): ProviderCircuit {
  const view = new RateLimitView(rateLimit, provider, SYSTEM_TIMERS);
  const answers = new AnswerTimes(provider, SYSTEM_TIMERS);
  return new ProviderCircuit(rateLimit, view, answers, new FakeClock(), SYSTEM_TIMERS, TIMES.pollIntervalMs);
}

/** A circuit that takes no answer for a sign of trouble. */
const UNTROUBLED = {
  recordAnswer: () => false,
  recordSuccess: () => undefined,
} as unknown as ProviderCircuit;

/** The feature's own recorder of polls by the default settings. */
export function recorderOn(
  schedule: Schedule,
  {
    clock = { now: () => new Date() },
    signals = new DeliverySignals(),
    circuit = UNTROUBLED,
  }: RecorderParts = {},
): PollRecorder {
  return new PollRecorder(schedule, signals, circuit, new FakeMeter(), clock, SYSTEM_TIMERS, POLLING);
}

/** The real poll requests on these ports. */
export function pollRequestsOn({
  schedule,
  provider = new FakeProvider(),
  rateLimit,
  meter = new FakeMeter(),
  clock = new FakeClock(),
  circuit = circuitOn(rateLimit, provider),
}: Ports): ScheduledPollRequests {
  const { timeoutMs } = provider.limits;
  const settings = new PollingSettings(
    urgencyRules(TIMES),
    stalledAfterMs(TIMES),
    minGapMs(TIMES),
    timeoutMs,
  );
  const own = meter.of(provider.name);
  const recorder = new PollRecorder(
    schedule,
    new DeliverySignals(),
    circuit,
    { all: meter, own },
    clock,
    SYSTEM_TIMERS,
    settings,
  );
  return new ScheduledPollRequests(schedule, provider, recorder, rateLimit, circuit, own, settings);
}
