import { createTestDatabase } from './database.ts';
import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import type { Call } from '../../tools/stand-in/http-server.js';
import { NO_LIMITS } from '../../tools/relay-stand-in/options.js';
import { RelayStandIn } from '../../tools/relay-stand-in/relay-stand-in.js';
import { jsonOf, ShopStage } from './stage.ts';

type Json = Record<string, unknown>;

export const RELAY_KEY = 'relay-key-of-the-stage';
export const REFUND_TO = `0x${'ab'.repeat(20)}`;
export const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
export const USDC_ON_ARBITRUM = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';
/** Without a limit polls go out at once: most tests are not about the budget. */
const NO_BUDGET = '0';
/** The budgets when unset, and the stand-in's defaults. */
export const USUAL_BUDGETS = { RELAY_MAX_QUOTES_RPM: '50', PROVIDER_MAX_RPM: '200' };

export interface QuotedPayment {
  readonly quoteId: string;
  readonly address: string;
}

/** A Paybell with Relay's stand-in, whose payments move only when the test says so. */
export class RelayStage extends ShopStage {
  private constructor(
    database: ShopStage['database'],
    readonly relay: RelayStandIn,
    shop: HttpReceiver,
  ) {
    super(database, shop);
  }

  static async open(options: Partial<RelayStandIn['options']> = {}): Promise<RelayStage> {
    const relay = await RelayStandIn.start({ apiKey: RELAY_KEY, limits: NO_LIMITS, ...options });
    return new RelayStage(await createTestDatabase(), relay, await HttpReceiver.start());
  }

  /** Quotes through the gateway. */
  async quoted(app: PaybellService, partial: Json = {}): Promise<QuotedPayment> {
    const { quoteId, send } = await jsonOf(await this.askQuote(app, partial), 200);
    return { quoteId: String(quoteId), address: (send as { depositAddress: string }).depositAddress };
  }

  /** Questions about deposit addresses: polls, whatever made them due. */
  get reads(): readonly Call[] {
    return this.relay.requests.filter(({ query }) => query['filters'] !== undefined);
  }

  /** The requests about this address. */
  readsOf({ address }: QuotedPayment): readonly Call[] {
    return this.reads.filter(({ query }) => query['filters']?.toLowerCase().includes(address.toLowerCase()));
  }

  /** Stops the reconciliation: only polls and notices find changes. */
  async stopSweeps(): Promise<void> {
    await this.database.query(`UPDATE relay_reconcile SET next_at = now() + interval '1 day'`);
  }

  override async close(): Promise<void> {
    await this.relay.close();
    await super.close();
  }

  protected override get providerEnv(): Record<string, string> {
    return {
      PROVIDER: 'relay',
      RELAY_API_KEY: RELAY_KEY,
      RELAY_BASE_URL: this.relay.url,
      RELAY_REFUND_TO: `evm:${REFUND_TO}`,
      RELAY_MAX_QUOTES_RPM: NO_BUDGET,
      PROVIDER_MAX_RPM: NO_BUDGET,
    };
  }

  protected override quoteBody(partial: Json): Json {
    return {
      fromChainId: 8453,
      toChainId: 42161,
      fromToken: USDC_ON_BASE,
      toToken: USDC_ON_ARBITRUM,
      amount: '25.5',
      recipient: `0x${'12'.repeat(20)}`,
      ...partial,
    };
  }
}
