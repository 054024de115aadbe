import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { arrivalsAt, type PublishedEvent, wordOf } from './published-events.ts';
import type { Stage } from './stage.ts';

/**
 * Has each inspection repeated soon after it: a chain takes minutes to be final. A claim sets none of these columns, so that
 * its lease stands.
 */
const INSPECT_SOON = `
  CREATE OR REPLACE FUNCTION inspect_soon() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.due_at := least(NEW.due_at, now() + interval '500 ms');
    RETURN NEW;
  END $$;
  CREATE OR REPLACE TRIGGER inspect_soon BEFORE UPDATE OF verification ON payment_proof
    FOR EACH ROW WHEN (NEW.due_at IS NOT NULL) EXECUTE FUNCTION inspect_soon();
  CREATE OR REPLACE TRIGGER inspect_soon BEFORE UPDATE OF seen ON deposit_watch
    FOR EACH ROW EXECUTE FUNCTION inspect_soon()`;

/** A payment whose quote promises an amount to a recipient of its own. */
export interface Promised {
  readonly quoteId: string;
  readonly recipient: string;
}

/** A provider whose payments move when the test says so, beside a chain on which it pays. */
export abstract class ChainStage {
  private isSoon = false;

  protected constructor(readonly shop: Stage) {}

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

  /** Waits until it holds, and meanwhile has the witness inspect sooner than it would. */
  async soon(holds: () => Promise<boolean> | boolean): Promise<void> {
    if (!this.isSoon) {
      await this.shop.database.query(INSPECT_SOON);
      this.isSoon = true;
      await this.lookNow();
    }
    await waitFor(holds, { timeoutMs: 90_000, everyMs: 250, what: holds.toString() });
  }

  /** Makes every inspection due, also those of a replica that was killed. The result of a running inspection is void. */
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

  /** The events of a payment that the shop got, each id once; `published` would wait for the API's own list. */
  toldOf({ quoteId }: Promised): string[] {
    return [...new Map(this.arrivalsOf(quoteId).map((event) => [event.id, wordOf(event)])).values()];
  }
}
