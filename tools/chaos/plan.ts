import { Random } from '../simulation/random.ts';
import type { ChaosOptions } from './options.ts';
import { RPC_TROUBLES, type RpcTrouble } from './proof/chain-rpc.ts';

export type Link = 'database' | 'broker' | 'provider' | 'shop';

/** A planned fault. `forMs` is its duration; `replica` null: all replicas. */
export type Fault =
  | { readonly kind: 'kill'; readonly replica: number; readonly forMs: number }
  | {
      readonly kind: 'cut' | 'freeze' | 'slow' | 'silent';
      readonly link: Link;
      readonly replica: number | null;
      readonly forMs: number;
    }
  | { readonly kind: 'database'; readonly how: 'fast' | 'immediate'; readonly forMs: number }
  | { readonly kind: 'broker'; readonly how: 'stop' | 'kill'; readonly forMs: number }
  | { readonly kind: 'topic'; readonly type: string; readonly forMs: number }
  | { readonly kind: 'failover'; readonly forMs: number }
  | { readonly kind: 'death'; readonly forMs: number }
  | { readonly kind: 'rpc'; readonly rpc: number | null; readonly how: RpcTrouble; readonly forMs: number }
  | { readonly kind: 'clock'; readonly replica: number; readonly byS: number; readonly forMs: number }
  | { readonly kind: 'log'; readonly replica: number; readonly forMs: number }
  | { readonly kind: 'receiver'; readonly how: Sickness; readonly forMs: number }
  | { readonly kind: 'provider'; readonly how: Sickness | 'throttle'; readonly forMs: number };

export type Sickness = 'hang' | 'fail' | 'reset';

export interface Planned {
  /** Counted from the start of the run. */
  readonly atMs: number;
  readonly fault: Fault;
}

const LINKS: readonly (readonly [Link, number])[] = [
  ['database', 3],
  ['broker', 1],
  ['provider', 2],
  ['shop', 1],
];
const NETWORK = ['cut', 'freeze', 'slow'] as const;
const STEPS_S = [-3_600, -600, -45, 45, 600, 3_600] as const;
const SICKNESSES = ['hang', 'fail', 'reset'] as const;
/** Types that many payments have. */
const REFUSED_TYPES = [
  'payment.created',
  'payment.executing',
  'payment.updated',
  'payment.completed',
] as const;
/** The share of a run at its end in which no fault begins. */
const QUIET_SHARE = 0.03;
const RPC_FAULTS_A_MINUTE = 4;

/** When the dying provider dies, and for how long, as shares of a run. */
const DEATH = { after: 0.3, share: 0.2 };

/** All faults of a run, in order: the same options make the same plan. */
export function planOf(options: ChaosOptions): readonly Planned[] {
  const random = new Random(options.seed);
  const runMs = options.minutes * 60_000 * (1 - QUIET_SHARE);
  const kills = spread(options.kills, runMs, random.fork(), (each) => killOf(options, each));
  const bag = new Bag(kindsOf(options), random.fork());
  const others = spread(options.faults, runMs, random.fork(), (each) => MAKERS[bag.next()](options, each));
  const death: Fault = { kind: 'death', forMs: Math.round(runMs * DEATH.share) };
  const deaths = options.hasProviders ? [{ atMs: Math.round(runMs * DEATH.after), fault: death }] : [];
  const rpcFaults = options.proof === null ? 0 : Math.round(options.minutes * RPC_FAULTS_A_MINUTE);
  const troubles = new Bag(RPC_TROUBLES, random.fork());
  const rpcs = spread(rpcFaults, runMs, random.fork(), (each) => rpcFaultOf(troubles.next(), each));
  return [...kills, ...others, ...deaths, ...rpcs].sort((a, b) => a.atMs - b.atMs);
}

/** Puts a time at random into each of `count` equal slots. */
function spread(count: number, runMs: number, random: Random, make: (random: Random) => Fault): Planned[] {
  const slotMs = runMs / Math.max(count, 1);
  return Array.from({ length: count }, (_, slot) => ({
    atMs: Math.round((slot + random.between(0, 0.8)) * slotMs),
    fault: make(random),
  }));
}

type Kind = Exclude<Fault['kind'], 'kill' | 'death' | 'rpc' | 'freeze' | 'slow'>;

/** How often each fault except kills comes, relative to the others. */
const SHARES: Readonly<Record<Kind, number>> = {
  cut: 4,
  silent: 1,
  database: 2,
  failover: 1,
  broker: 1,
  topic: 1,
  clock: 2,
  log: 1,
  receiver: 1,
  provider: 1,
};

function kindsOf({ without }: ChaosOptions): Kind[] {
  const isLeftOut = (kind: Kind): boolean => kind === 'clock' && without.has('clocks');
  const isGone = (kind: Kind): boolean => (kind === 'broker' || kind === 'topic') && without.has('broker');
  const isUnmounted = (kind: Kind): boolean => kind === 'log' && without.has('logs');
  return (Object.keys(SHARES) as Kind[])
    .filter((kind) => !isLeftOut(kind) && !isGone(kind) && !isUnmounted(kind))
    .flatMap((kind) => Array<Kind>(SHARES[kind]).fill(kind));
}

/** Draws without putting back until the bag is empty, so that a short run has each kind too. */
class Bag<T> {
  private left: T[] = [];

  constructor(
    private readonly kinds: readonly T[],
    private readonly random: Random,
  ) {}

  next(): T {
    if (this.left.length === 0) this.left = [...this.kinds];
    const [drawn] = this.left.splice(Math.floor(this.random.next() * this.left.length), 1);
    return drawn as T;
  }
}

type Maker = (options: ChaosOptions, random: Random) => Fault;

const MAKERS: Readonly<Record<Kind, Maker>> = {
  cut: networkFaultOf,
  silent: ({ replicas }, random) => ({
    kind: 'silent',
    link: 'database',
    replica: random.chance(0.3) ? null : oneOf(indices(replicas), random),
    forMs: lasting(random, 5, 10),
  }),
  database: (_, random) => ({
    kind: 'database',
    how: random.chance(0.6) ? 'immediate' : 'fast',
    forMs: lasting(random, 0.2, 4),
  }),
  failover: (_, random) => ({ kind: 'failover', forMs: lasting(random, 0.1, 2) }),
  broker: (_, random) => ({
    kind: 'broker',
    how: random.chance(0.6) ? 'kill' : 'stop',
    forMs: lasting(random, 0.5, 5),
  }),
  topic: (_, random) => ({
    kind: 'topic',
    type: oneOf(REFUSED_TYPES, random),
    forMs: lasting(random, 5, 25),
  }),
  clock: ({ replicas }, random) => ({
    kind: 'clock',
    replica: oneOf(indices(replicas), random),
    byS: oneOf(STEPS_S, random),
    forMs: lasting(random, 10, 25),
  }),
  log: ({ replicas }, random) => ({
    kind: 'log',
    replica: oneOf(indices(replicas), random),
    forMs: lasting(random, 3, 12),
  }),
  receiver: (_, random) => ({
    kind: 'receiver',
    how: oneOf(SICKNESSES, random),
    forMs: lasting(random, 4, 15),
  }),
  provider: (_, random) => ({
    kind: 'provider',
    how: oneOf([...SICKNESSES, 'throttle'] as const, random),
    forMs: lasting(random, 2, 10),
  }),
};

function killOf({ replicas }: ChaosOptions, random: Random): Fault {
  return { kind: 'kill', replica: oneOf(indices(replicas), random), forMs: lasting(random, 0, 2) };
}

function networkFaultOf({ replicas, without }: ChaosOptions, random: Random): Fault {
  const kind = oneOf(NETWORK, random);
  const link = random.pick(LINKS.filter(([each]) => each !== 'broker' || !without.has('broker')));
  // The shop has one link; other parts have one for each replica.
  const replica = link === 'shop' || random.chance(0.3) ? null : oneOf(indices(replicas), random);
  return { kind, link, replica, forMs: lasting(random, 1, 10) };
}

/** Two RPCs with the same lie are believed: only one RPC ever lies. */
function rpcFaultOf(how: RpcTrouble, random: Random): Fault {
  const rpc = how !== 'lie' && random.chance(0.3) ? null : oneOf([0, 1], random);
  return { kind: 'rpc', rpc, how, forMs: lasting(random, 2, 10) };
}

function lasting(random: Random, fromS: number, toS: number): number {
  return Math.round(random.between(fromS, toS) * 1_000);
}

function oneOf<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random.next() * values.length)] as T;
}

function indices(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
