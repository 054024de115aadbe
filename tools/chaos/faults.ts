import type { TcpProxy } from '../testkit/tcp-proxy.ts';
import { describeFault } from './describe-fault.ts';
import type { Fault, Planned } from './plan.ts';
import { sleep } from './readers.ts';
import type { Replica } from './replica.ts';
import type { Stage } from './stage.ts';

const SLOW_MS = 150;

/** A fault as it happened. */
export interface Happened {
  readonly fault: Fault;
  readonly from: number;
  to: number;
}

type NetworkFault = Extract<Fault, { kind: 'cut' | 'freeze' | 'slow' | 'silent' }>;

/**
 * Makes the planned faults happen. Kills, a provider's death and troubles of RPCs happen beside the others, but no two of one
 * kind overlap.
 */
export class Faults {
  readonly happened: Happened[] = [];
  private isOver = false;

  constructor(
    private readonly stage: Stage,
    private readonly log: (line: string) => void,
  ) {}

  async run(plan: readonly Planned[]): Promise<void> {
    const startedAt = Date.now();
    const beside = ['kill', 'death', 'rpc'] as const;
    const tracks = [
      ...beside.map((kind) => plan.filter(({ fault }) => fault.kind === kind)),
      plan.filter(({ fault }) => !beside.some((kind) => kind === fault.kind)),
    ];
    await Promise.all(tracks.map((track) => this.follow(track, startedAt)));
  }

  /** Begins nothing more. */
  stop(): void {
    this.isOver = true;
  }

  private async follow(track: readonly Planned[], startedAt: number): Promise<void> {
    for (const { atMs, fault } of track) {
      await sleep(Math.max(startedAt + atMs - Date.now(), 0));
      if (this.isOver) return;
      const entry: Happened = { fault, from: Date.now(), to: Number.POSITIVE_INFINITY };
      this.happened.push(entry);
      this.log(describeFault(fault));
      await this.happen(fault);
      entry.to = Date.now();
    }
  }

  private async happen(fault: Fault): Promise<void> {
    const { database, broker, publisher, replicas, secondShop, provider } = this.stage;
    switch (fault.kind) {
      case 'kill':
        return replicas.kill(replicas.all[fault.replica] as Replica, fault.forMs);
      case 'database':
        return database.restart(fault.how, fault.forMs);
      case 'failover':
        return database.failOver(fault.forMs);
      case 'death':
        return this.stage.carriers?.die(fault.forMs, sleep);
      case 'rpc':
        return during(fault, (isOn) => this.stage.proof?.trouble(fault.rpc, fault.how, isOn));
      case 'broker':
        return restartBroker(broker, fault);
      case 'topic':
        return during(fault, (isOn) => publisher?.refuse(isOn ? fault.type : null));
      case 'clock':
        return during(fault, (isOn) => replicas.all[fault.replica]?.clock?.step(isOn ? fault.byS : 0));
      case 'log':
        return during(fault, (isOn) => replicas.all[fault.replica]?.logDisk?.turn(isOn));
      case 'receiver':
        return during(fault, (isOn) => secondShop.fall(isOn ? fault.how : null));
      case 'provider':
        return during(fault, (isOn) => provider.fall(isOn ? fault.how : null));
      case 'cut':
      case 'freeze':
      case 'slow':
      case 'silent':
        return this.disturb(fault);
    }
  }

  private disturb(fault: NetworkFault): Promise<void> {
    const proxies = this.proxiesOf(fault);
    return during(fault, (isOn) => {
      for (const proxy of proxies) {
        if (!isOn) proxy.heal();
        else if (fault.kind === 'slow') proxy.slow(SLOW_MS);
        else if (fault.kind === 'silent') proxy.abandonAll();
        else proxy[fault.kind]();
      }
    });
  }

  private proxiesOf({ link, replica }: NetworkFault): TcpProxy[] {
    if (link === 'shop') return [this.stage.shopLink];
    const { all } = this.stage.replicas;
    const concerned = all.filter((_, index) => replica === null || replica === index);
    return concerned.flatMap(({ links, carrierLinks }) => [
      ...(links[link] === null ? [] : [links[link]]),
      ...(link === 'provider' ? carrierLinks : []),
    ]);
  }
}

async function during({ forMs }: Fault, turn: (isOn: boolean) => void | Promise<void>): Promise<void> {
  await turn(true);
  await sleep(forMs);
  await turn(false);
}

async function restartBroker(
  broker: Stage['broker'],
  { how, forMs }: Extract<Fault, { kind: 'broker' }>,
): Promise<void> {
  await (how === 'kill' ? broker?.kill9() : broker?.stop());
  await sleep(forMs);
  await broker?.restart();
}
