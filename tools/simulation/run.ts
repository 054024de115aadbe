import { Logger } from '@nestjs/common';

import { FixedPoller } from './fixed-poller.ts';
import { Invariants } from './invariants.ts';
import { changeAt, endOf, makeLife, type Life } from './lives.ts';
import { Observations } from './observations.ts';
import type { SimulationOptions } from './options.ts';
import { MIN_GAP_MS, Paybell, TIMES } from './paybell.ts';
import { Random } from './random.ts';
import { SimulatedProvider } from './simulated-provider.ts';
import { databaseBackAt, planTroubles, type Trouble } from './troubles.ts';
import { VirtualClock } from './virtual-clock.ts';

const MINUTE_MS = 60_000;
/** The time between concurrent orders, which keeps them in the order of their numbers. */
const APART_MS = 0.000_1;
const CHECK_EVERY_MS = 60 * MINUTE_MS;
/** The late watch ends a day after the last payment, later where its intervals were scaled. */
const AFTER_MS = 3 * 86_400_000;

/** The results of a run. */
export interface Run {
  readonly options: SimulationOptions;
  readonly lives: readonly Life[];
  readonly troubles: readonly Trouble[];
  readonly paybell: Observations;
  readonly fixed: Observations;
  readonly refusals: { readonly paybell: number; readonly fixed: number };
  readonly invariants: Invariants;
  /** Payments whose last change was not found: Paybell misses only changes after the late watch. */
  readonly missed: { readonly paybell: number; readonly fixed: number };
}

/** Runs both pollers over the same lives and the same troubles, each with a clock and a provider of its own. */
export async function simulate(options: SimulationOptions): Promise<Run> {
  Logger.overrideLogger(false);
  const random = new Random(options.seed);
  const runMs = options.minutes * MINUTE_MS;
  const troubles = options.isCalm ? [] : planTroubles(runMs, random.fork());
  const lives = makeLives(options, troubles, runMs, random.fork());
  const scene: Scene = { options, troubles, lives, runMs };
  const fixed = runFixed(scene, random.fork());
  const paybell = await runPaybell(scene, random.fork());
  return {
    options,
    lives: scene.lives,
    troubles,
    paybell: paybell.observations,
    fixed: fixed.observations,
    refusals: { paybell: paybell.refusals, fixed: fixed.refusals },
    invariants: paybell.invariants,
    missed: {
      paybell: countUnseen(scene, paybell.observations),
      fixed: countUnseen(scene, fixed.observations),
    },
  };
}

interface Scene {
  readonly options: SimulationOptions;
  readonly troubles: readonly Trouble[];
  readonly lives: readonly Life[];
  readonly runMs: number;
}

/** Independent payments, or payments of which each follows the end of another one. */
function makeLives(
  { open, payments, quoteMinutes }: SimulationOptions,
  troubles: readonly Trouble[],
  runMs: number,
  random: Random,
): Life[] {
  const clock = new VirtualClock();
  const quoteMs = quoteMinutes * MINUTE_MS;
  const lives: Life[] = [];
  const add = (): Life => {
    // Orders that found no database come one after another once it is back.
    const backAt = databaseBackAt(troubles, clock.now);
    const createdAt = backAt === null ? clock.now : backAt + lives.length * APART_MS;
    const life = makeLife(lives.length, createdAt, random, quoteMs);
    lives.push(life);
    return life;
  };
  const follow = (): void => {
    if (clock.now < runMs) clock.at(endOf(add()), follow);
  };
  for (let place = 0; place < open; place++) clock.at(random.between(0, quoteMs), follow);
  const next = (): void => {
    add();
    if (lives.length < payments) clock.after(random.exponential(runMs / payments), next);
  };
  if (open === 0) clock.at(random.exponential(runMs / payments), next);
  clock.runUntil(Number.POSITIVE_INFINITY);
  return lives;
}

function runFixed({ options, troubles, lives, runMs }: Scene, random: Random) {
  const clock = new VirtualClock();
  const provider = new SimulatedProvider(clock, troubles, options.rpm, random);
  const observations = new Observations(troubles, options.warmUpMinutes * MINUTE_MS);
  const poller = new FixedPoller(clock, provider, observations, options.rpm);
  for (const life of lives) clock.at(life.createdAt, () => poller.track(life));
  clock.runUntil(runMs + AFTER_MS);
  return { observations, refusals: provider.refusals };
}

async function runPaybell({ options, troubles, lives, runMs }: Scene, random: Random) {
  const clock = new VirtualClock();
  const provider = new SimulatedProvider(clock, troubles, options.rpm, random.fork());
  const observations = new Observations(troubles, options.warmUpMinutes * MINUTE_MS);
  const { pollIntervalMs } = TIMES;
  const invariants = new Invariants({ maxRpm: options.rpm, minGapMs: MIN_GAP_MS, pollIntervalMs });
  const paybell = new Paybell(clock, provider, options, troubles, observations, invariants, random);
  for (const life of lives) clock.at(life.createdAt, () => void paybell.track(life));
  paybell.start();
  const check = (): void => {
    invariants.check(paybell.tracked, clock.now);
    clock.after(CHECK_EVERY_MS, check);
  };
  check();
  const isOver = (): boolean => paybell.tracked.length === lives.length && paybell.isDone;
  await clock.runSettled(runMs + AFTER_MS, isOver);
  invariants.check(paybell.tracked, clock.now);
  checkMissed(paybell, observations, invariants, clock.now);
  return { observations, invariants, refusals: provider.refusals };
}

/** Changes that could have been seen before Paybell closed the payment. */
function checkMissed(
  { tracked }: Paybell,
  observations: Observations,
  invariants: Invariants,
  now: number,
): void {
  for (const { life, polledAt, isClosed } of tracked) {
    const isMissed = isClosed && observations.seenOf(life) < changeAt(life, (polledAt ?? 0) - MIN_GAP_MS);
    if (isMissed) invariants.breach(`missed: the last change of payment ${life.id}`, now);
  }
}

function countUnseen({ lives }: Scene, observations: Observations): number {
  return lives.filter((life) => observations.seenOf(life) < life.changes.length - 1).length;
}
