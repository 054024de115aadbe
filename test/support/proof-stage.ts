import type { Verify } from '../../src/domain/proof/verification.ts';
import { Anvil, type Mined } from '../../tools/testkit/anvil.ts';
import { ChainStage, type Promised } from './chain-stage.ts';
import { newAddress } from './chain/witness.ts';
import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { Stage } from './stage.ts';

/** A chain names the block 64 below its head as final. */
const UNTIL_FINAL = 70;
const CHAIN_ID = 8453;
const DECIMALS = 6;
/** Settings with which inspections follow each other soon, however slowly the chain's blocks come. */
const RPC = {
  CHAIN_RPC_ALLOWED_CIDRS: '127.0.0.0/8',
  CHAIN_RPC_MAX_RPS: '1000',
  CHAIN_CONFIRMATIONS: '8453=2',
};

/** A provider whose payments move when the test says so, and the chain on which it pays. */
export class ProofStage extends ChainStage {
  private constructor(
    shop: Stage,
    readonly anvil: Anvil,
    readonly token: string,
  ) {
    super(shop);
  }

  static async open(anvilPath: string): Promise<ProofStage> {
    const [stage, anvil] = await Promise.all([Stage.open(), Anvil.start(anvilPath, CHAIN_ID)]);
    const opened = new ProofStage(stage, anvil, await anvil.deploy('Token'));
    await anvil.mine(UNTIL_FINAL);
    return opened;
  }

  /** The settings of a replica; `url`: the proxy before the node. */
  env(verify: Verify, more: Record<string, string> = {}, url = this.anvil.url) {
    return { VERIFY: verify, CHAIN_RPC: `${CHAIN_ID}=${url}`, ...RPC, ...more };
  }

  async quote(
    app: PaybellService,
    receive: object = {},
    recipient = newAddress(),
    more: Record<string, unknown> = {},
  ): Promise<Promised> {
    const received = {
      chain: { id: CHAIN_ID, name: 'Base' },
      token: { address: this.token, symbol: 'USDC', name: 'USD Coin', decimals: DECIMALS },
      estimatedAmount: '25',
      estimatedAmountUsd: '25.00',
      minimumAmount: '24.9',
      ...receive,
    };
    this.shop.provider.quoteWith({ receive: received, ...more });
    const asked = { toToken: received.token.address, recipient, ...askedBy(more['send']) };
    return { quoteId: await this.shop.quote(app, asked), recipient };
  }

  /** Sends the recipient the promised amount, or another amount. */
  async pay({ recipient }: Promised, amount = 25_000_000n, token = this.token): Promise<Mined> {
    const mined = await this.anvil.transfer(token, recipient, amount);
    await this.finalize();
    return mined;
  }

  finalize(): Promise<void> {
    return this.anvil.mine(UNTIL_FINAL);
  }

  async close(): Promise<void> {
    await this.anvil.stop();
  }
}

/** The request for a quote with this `send`. */
function askedBy(send: unknown): object {
  if (send === undefined) return {};
  const { chain, token, amount } = send as {
    chain: { id: number };
    token: { address: string };
    amount: string;
  };
  return { fromChainId: chain.id, fromToken: token.address, amount };
}
