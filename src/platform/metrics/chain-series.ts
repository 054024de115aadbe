import type { Counter, Gauge } from 'prom-client';

import type { RpcOutcome } from '../../ports/meter.ts';
import type { SeriesIn } from './series-in.ts';

/** The metrics of RPCs, with the id of their chain. */
export class ChainSeries {
  private readonly calls: Counter<'chain' | 'outcome'>;
  private readonly openCircuits: Gauge<'chain'>;
  private readonly disagreements: Counter<'chain' | 'host'>;

  constructor(series: SeriesIn) {
    this.calls = series.counter(
      'paybell_chain_calls_total',
      'Calls to the RPCs of a chain, by outcome.',
      'chain',
      'outcome',
    );
    this.openCircuits = series.gauge(
      'paybell_chain_circuits_open',
      'RPCs of a chain that failed repeatedly, and get only probes.',
      'chain',
    );
    this.disagreements = series.counter(
      'paybell_chain_disagreements_total',
      'Answers of an RPC that differ from those of the others of its chain.',
      'chain',
      'host',
    );
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
