import { EvmWitness } from '../../../src/chains/rpc-witness.ts';
import type { PromisedOutput } from '../../../src/domain/proof/output.ts';
import { SYSTEM_TIMERS } from '../../../src/platform/scheduling/system-timers.ts';
import { Clock } from '../../../src/ports/clock.ts';
import { Timers } from '../../../src/ports/timers.ts';
import { FakeMeter } from '../fakes/meter.fake.ts';

export const BASE = 8453;
export const CONFIRMATIONS = 5;

class FixedClock extends Clock {
  constructor(private readonly at: Date) {
    super();
  }

  now(): Date {
    return this.at;
  }
}

/** Timers whose instant the test moves; what waits for it wakes at once. */
export class MovedTimers extends Timers {
  private ms = 0;

  nowMs(): number {
    return this.ms + SYSTEM_TIMERS.nowMs();
  }

  after(ms: number, act: () => void): () => void {
    return SYSTEM_TIMERS.after(ms, act);
  }

  pass(ms: number): void {
    this.ms += ms;
  }
}

export interface WitnessOptions {
  readonly chainId?: number;
  readonly maxRps?: number;
  readonly timeoutMs?: number;
  readonly timers?: Timers;
  readonly now?: Date;
  readonly allowedCidrs?: readonly string[];
  readonly meter?: FakeMeter;
}

/** A witness of one chain, which needs few confirmations. */
export function witnessOf(urls: readonly string[], options: WitnessOptions = {}): EvmWitness {
  const {
    chainId = BASE,
    maxRps = 1_000,
    timers = SYSTEM_TIMERS,
    now = new Date(),
    meter = new FakeMeter(),
  } = options;
  return new EvmWitness({
    urls: new Map([[chainId, urls]]),
    allowedCidrs: options.allowedCidrs ?? ['127.0.0.0/8'],
    allowHttp: false,
    maxRps,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    confirmationsOf: () => CONFIRMATIONS,
    clock: new FixedClock(now),
    timers,
    meter,
  });
}

/** An output that the fields change. */
export function promised(
  fields: Partial<PromisedOutput> & Pick<PromisedOutput, 'token' | 'recipient'>,
): PromisedOutput {
  return {
    chainId: BASE,
    leastAmount: 1_000n,
    mostAmount: 3_000n,
    txHashes: [],
    since: new Date(0),
    ...fields,
  };
}

let addresses = 0;

/** An address that nothing was sent to before. */
export function newAddress(): string {
  addresses += 1;
  return `0x${addresses.toString(16).padStart(4, '0')}${'ab'.repeat(18)}`;
}
