import type { ChainWitnesses } from '../../../src/chains/chain-witnesses.ts';
import { utxoAdapter } from '../../../src/chains/utxo/utxo-adapter.ts';
import type { OutputAnswer, PromisedOutput } from '../../../src/domain/proof/output.ts';
import { LITECOIN } from '../../../tools/utxo-stand-in/addresses.ts';
import type { Speech } from '../../../tools/utxo-stand-in/block-explorer.ts';
import { LEAST, type UtxoScene } from './utxo-scene.ts';
import { promised, witnessOf, type WitnessOptions } from './witness.ts';

/** New witnesses for each inspection: they have read nothing before. */
export class UtxoWitness {
  private readonly made: ChainWitnesses[] = [];

  constructor(private readonly scene: UtxoScene) {}

  by(speeches: Speech | readonly Speech[], options: WitnessOptions = {}): ChainWitnesses {
    const chainId = options.chainId ?? LITECOIN;
    const urls = [speeches].flat().map((speech) => this.scene.servers[speech].url);
    const witness = witnessOf(urls, { adapter: utxoAdapter(chainId), chainId, ...options });
    this.made.push(witness);
    return witness;
  }

  inspect(
    speeches: Speech | readonly Speech[],
    output: Partial<PromisedOutput> & Pick<PromisedOutput, 'recipient'>,
    options: WitnessOptions = {},
  ): Promise<OutputAnswer> {
    const chainId = options.chainId ?? LITECOIN;
    const usual = { chainId, token: null, leastAmount: LEAST, mostAmount: 2n * LEAST };
    return this.by(speeches, options).inspectOutput(promised({ ...usual, ...output }));
  }

  async close(): Promise<void> {
    await Promise.all(this.made.map((witness) => witness.close()));
  }
}

/** `proven`, `contradicted: amount_short` */
export function verdictOf({ state, ...answer }: OutputAnswer): string {
  return 'reason' in answer ? `${state}: ${answer.reason}` : state;
}
