import type { Verify } from '../../src/domain/proof/verification.ts';
import { Anvil, type Mined } from '../../tools/testkit/anvil.ts';
import { newAddress } from './chain/witness.ts';
import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { arrivalsAt, type PublishedEvent } from './published-events.ts';
import { Stage } from './stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

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

/** A payment whose quote promises 24.9 tokens to its own recipient. */
export interface Promised {
  readonly quoteId: string;
  readonly recipient: string;
}

/** A provider whose payments move when the test says so, and the chain on which it pays. */
export class ProofStage {
  private constructor(
    readonly shop: Stage,
    readonly anvil: Anvil,
    readonly token: string,
  ) {}

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

  /** Sets the provider's report from now on. */
  say({ quoteId }: Promised, status: string, outputTxHash: string | null = null): void {
    const execution = { startedAt: null, completedAt: null, outputTxHash, steps: [] };
    this.shop.provider.setStatus(quoteId, { status, execution });
  }

  async stateOf(app: PaybellService, { quoteId }: Promised): Promise<string | undefined> {
    const answer = await app.fetch(`/api/payments/${quoteId}`);
    const { verification } = (await answer.json()) as { verification: { state: string } | null };
    return verification?.state;
  }

  /** Waits until the condition holds, and makes the witness inspect early meanwhile: a chain takes minutes to be final. */
  async soon(holds: () => Promise<boolean> | boolean): Promise<void> {
    await waitFor(
      async () => {
        if (await holds()) return true;
        await this.lookNow();
        return false;
      },
      { timeoutMs: 40_000, everyMs: 500 },
    );
  }

  /** Makes all waiting inspections due. */
  async lookNow(): Promise<void> {
    const { database } = this.shop;
    await database.query(`UPDATE payment_proof SET due_at = now() WHERE due_at > now()`);
    await database.query(`UPDATE deposit_watch SET due_at = now() WHERE due_at > now()`);
  }

  /** Waits until the shop got this many events of the payment, and then checks that it got exactly these. */
  async published(
    app: PaybellService,
    { quoteId }: Promised,
    words: readonly string[],
  ): Promise<PublishedEvent[]> {
    const ids = () => new Set(this.arrivalsOf(quoteId).map(({ id }) => id));
    await this.soon(() => ids().size >= words.length);
    return this.shop.published(app, quoteId, words);
  }

  arrivalsOf(quoteId: string): PublishedEvent[] {
    return arrivalsAt(this.shop.shop).filter(({ subject }) => subject === quoteId);
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
