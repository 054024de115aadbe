import type { UrgencyRules } from '../../src/domain/polling/urgency.ts';
import { FixedPoller } from './fixed-poller.ts';
import { Invariants } from './invariants.ts';
import { changeAt, endOf, makeLife, type Life } from './lives.ts';
import { Observations } from './observations.ts';
import type { SimulationOptions } from './options.ts';
import { PaybellTracker } from './paybell-tracker.ts';
import { Random } from './random.ts';
import { SimulatedProvider } from './simulated-provider.ts';
import { SimulatedSchedule, type Tracked } from './simulated-schedule.ts';
import { planTroubles, type Trouble } from './troubles.ts';
import { VirtualClock } from './virtual-clock.ts';

/** As in production, at the defaults. */
export const URGENCY_RULES: UrgencyRules = {
  pollIntervalMs: 7_000,
  inFlightMs: 5_050,
  attendedMs: 90_000,
  lateWatchMs: 86_400_000,
  watchFromMs: 30_000,
  watchUpToMs: 43_200_000,
};
const MIN_GAP_MS = 5_000;
const MINUTE_MS = 60_000;
const CHECK_EVERY_MS = 60 * MINUTE_MS;
/** The late watch ends a day after the last payment, later where it was stretched. */
const AFTER_MS = 3 * 86_400_000;

/** All that a run leaves behind. */
export interface Run {
  readonly options: SimulationOptions;
  readonly lives: readonly Life[];
  readonly troubles: readonly Trouble[];
  readonly paybell: Observations;
  readonly fixed: Observations;
  readonly refusals: { readonly paybell: number; readonly fixed: number };
  readonly invariants: Invariants;
  /** Payments whose last change was not found: for Paybell, because it came after the late watch. */
  readonly missed: { readonly paybell: number; readonly fixed: number };
}

/** Runs both pollers over the same lives and the same troubles, each with a provider of its own. */
export function simulate(options: SimulationOptions): Run {
  const random = new Random(options.seed);
  const runMs = options.minutes * MINUTE_MS;
  const troubles = options.isCalm ? [] : planTroubles(runMs, random.fork());
  const lives: Life[] = [];
  const stage = setStage(options, troubles, random);
  arrive(options, runMs, random, stage.clock, (life) => {
    lives.push(life);
    stage.tracker.track(life);
    stage.fixedPoller.track(life);
  });
  stage.tracker.start();
  watchOver(stage);
  stage.clock.runUntil(runMs + AFTER_MS);
  stage.invariants.check(stage.schedule.all, stage.clock.now);
  const missed = countMissed(stage, lives);
  const { paybell, fixed, invariants } = stage;
  const refusals = { paybell: stage.provider.refusals, fixed: stage.fixedProvider.refusals };
  return { options, lives, troubles, paybell, fixed, refusals, invariants, missed };
}

function setStage(options: SimulationOptions, troubles: readonly Trouble[], random: Random) {
  const clock = new VirtualClock();
  const { rpm } = options;
  const provider = new SimulatedProvider(clock, troubles, rpm, random.fork());
  const fixedProvider = new SimulatedProvider(clock, troubles, rpm, random.fork());
  const paybell = new Observations(troubles);
  const fixed = new Observations(troubles);
  const { pollIntervalMs } = URGENCY_RULES;
  const invariants = new Invariants({ maxRpm: rpm, minGapMs: MIN_GAP_MS, pollIntervalMs });
  const schedule = new SimulatedSchedule(URGENCY_RULES, MIN_GAP_MS, random.fork());
  const tracker = new PaybellTracker(clock, provider, schedule, paybell, invariants, URGENCY_RULES, rpm);
  const fixedPoller = new FixedPoller(clock, fixedProvider, fixed, rpm);
  return { clock, provider, fixedProvider, paybell, fixed, invariants, schedule, tracker, fixedPoller };
}

type Stage = ReturnType<typeof setStage>;

/** Either so many payments, independently of each other, or each that ends makes room for the next. */
function arrive(
  options: SimulationOptions,
  runMs: number,
  random: Random,
  clock: VirtualClock,
  onArrival: (life: Life) => void,
): void {
  const lifeRandom = random.fork();
  let made = 0;
  const add = (): Life => {
    const life = makeLife(made++, clock.now, lifeRandom);
    onArrival(life);
    return life;
  };
  if (options.open > 0) {
    const replace = (): void => {
      if (clock.now >= runMs) return;
      clock.at(endOf(add()), replace);
    };
    for (let place = 0; place < options.open; place++) clock.at(lifeRandom.between(0, 300_000), replace);
    return;
  }
  const meanMs = runMs / options.payments;
  const next = (): void => {
    add();
    if (made < options.payments) clock.at(clock.now + lifeRandom.exponential(meanMs), next);
  };
  clock.at(lifeRandom.exponential(meanMs), next);
}

function watchOver({ clock, schedule, invariants }: Stage): void {
  const check = (): void => {
    invariants.check(schedule.all, clock.now);
    clock.at(clock.now + CHECK_EVERY_MS, check);
  };
  check();
}

/** Of Paybell, what was there to be seen before it closed the payment; of the fixed poller, all that it never saw. */
function countMissed(
  { schedule, paybell, fixed, invariants, clock }: Stage,
  lives: readonly Life[],
): Run['missed'] {
  const isMissed = ({ life, polledAt, isClosed }: Tracked): boolean =>
    isClosed && paybell.seenOf(life) < changeAt(life, (polledAt ?? 0) - MIN_GAP_MS);
  const missed = schedule.all.filter(isMissed);
  for (const { life } of missed)
    invariants.breach(`missed: the last change of payment ${life.id}`, clock.now);
  const fixedMissed = lives.filter((life) => fixed.seenOf(life) < life.changes.length - 1);
  const unseen = lives.filter((life) => paybell.seenOf(life) < life.changes.length - 1);
  return { paybell: unseen.length, fixed: fixedMissed.length };
}
