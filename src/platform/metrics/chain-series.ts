import { Counter, Gauge, type Registry } from 'prom-client';

import type { RpcOutcome } from '../../ports/meter.ts';

/** The metrics of RPCs, with the id of their chain. */
export class ChainSeries {
  private readonly calls: Counter<'chain' | 'outcome'>;
  private readonly openCircuits: Gauge<'chain'>;
  private readonly disagreements: Counter<'chain' | 'host'>;

  constructor(registry: Registry) {
    this.calls = new Counter({
      name: 'paybell_chain_calls_total',
      help: 'Calls to the RPCs of a chain, by outcome.',
      labelNames: ['chain', 'outcome'],
      registers: [registry],
    });
    this.openCircuits = new Gauge({
      name: 'paybell_chain_circuits_open',
      help: 'RPCs of a chain that failed repeatedly, and get only probes.',
      labelNames: ['chain'],
      registers: [registry],
    });
    this.disagreements = new Counter({
      name: 'paybell_chain_disagreements_total',
      help: 'Answers of an RPC that differ from those of the others of its chain.',
      labelNames: ['chain', 'host'],
      registers: [registry],
    });
  }

  disagreed(chainId: number, host: string): void {
    this.disagreements.inc({ chain: String(chainId), host });
  }

  asked(chainId: number, calls: number, outcome: RpcOutcome, openCircuits: number): void {
    const chain = String(chainId);
    this.calls.inc({ chain, outcome }, calls);
    this.openCircuits.set({ chain }, openCircuits);
  }
}
