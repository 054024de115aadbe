import { ChainWitnesses } from '../../../src/chains/chain-witnesses.ts';
import { EVM } from '../../../src/chains/evm/evm-adapter.ts';
import { openChain } from '../../../src/chains/open-chain.ts';
import type { ChainAdapter } from '../../../src/chains/rpc/chain-adapter.ts';
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

/** Timers whose instant the test moves, which wakes all due waits at once. */
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
  readonly adapter?: ChainAdapter;
  readonly chainId?: number;
  readonly maxRps?: number;
  readonly timeoutMs?: number;
  readonly timers?: Timers;
  readonly now?: Date;
  readonly allowedCidrs?: readonly string[];
  readonly meter?: FakeMeter;
}

/** A witness of one chain, which needs few confirmations. */
export function witnessOf(urls: readonly string[], options: WitnessOptions = {}): ChainWitnesses {
  const {
    adapter = EVM,
    chainId = BASE,
    maxRps = 1_000,
    timers = SYSTEM_TIMERS,
    now = new Date(),
    meter = new FakeMeter(),
  } = options;
  const chain = openChain(adapter, {
    chainId,
    urls,
    headers: new Map(),
    allowedCidrs: options.allowedCidrs ?? ['127.0.0.0/8'],
    allowHttp: false,
    maxRps,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    needed: CONFIRMATIONS,
    clock: new FixedClock(now),
    timers,
    meter,
  });
  return new ChainWitnesses([chain]);
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

/** An address to which no transaction was sent before. */
export function newAddress(): string {
  addresses += 1;
  return `0x${addresses.toString(16).padStart(4, '0')}${'ab'.repeat(18)}`;
}
