import type { Verify } from '../../src/domain/proof/verification.ts';
import { LITECOIN } from '../../tools/utxo-stand-in/addresses.ts';
import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { newRecipient, type Recipient } from './chain/utxo-recipients.ts';
import { ChainStage, type Promised } from './chain-stage.ts';
import { Stage } from './stage.ts';
import type { UtxoScene } from './chain/utxo-scene.ts';

const ZERO = `0x${'0'.repeat(40)}`;

/** A payment whose quote promises a thousandth of a litecoin to a script. */
export interface PromisedToScript extends Promised {
  readonly script: string;
}

/** A provider, and the servers of a chain of outputs on which it pays. */
export class UtxoStage extends ChainStage {
  private constructor(
    shop: Stage,
    private readonly scene: UtxoScene,
  ) {
    super(shop);
  }

  static async open(scene: UtxoScene): Promise<UtxoStage> {
    const stage = await Stage.open();
    stage.provider.chains.push({ id: LITECOIN, name: 'Litecoin', shortName: 'ltc', nativeToken: 'LTC' });
    return new UtxoStage(stage, scene);
  }

  /** The settings of a replica. Inspections are asked for soon after each other, however slowly blocks come. */
  env(verify: Verify, more: Record<string, string> = {}): Record<string, string> {
    const { esplora, blockbook } = this.scene.servers;
    return {
      VERIFY: verify,
      CHAIN_RPC: `${LITECOIN}=${esplora.url}|${blockbook.url}`,
      CHAIN_RPC_ALLOWED_CIDRS: '127.0.0.0/8',
      CHAIN_RPC_MAX_RPS: '1000',
      CHAIN_CONFIRMATIONS: `${LITECOIN}=2`,
      ...more,
    };
  }

  async quote(
    app: PaybellService,
    { script, address }: Recipient = newRecipient(),
  ): Promise<PromisedToScript> {
    this.shop.provider.quoteWith({
      receive: {
        chain: { id: LITECOIN, name: 'Litecoin' },
        token: { address: ZERO, symbol: 'LTC', name: 'Litecoin', decimals: 8 },
        estimatedAmount: '0.001',
        minimumAmount: '0.001',
      },
    });
    const asked = { toChainId: LITECOIN, toToken: ZERO, recipient: address };
    return { quoteId: await this.shop.quote(app, asked), recipient: address, script };
  }
}
