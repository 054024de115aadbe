import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { arrivalsAt, type PublishedEvent, wordOf } from './published-events.ts';
import type { Stage } from './stage.ts';

const LEASE_S = 120;
/** A claim as old belongs to a replica that was killed. */
const KILLED_AFTER_S = 6;
/**
 * Waits for its next inspection, and is not inspected at this moment: a second claim would void the result of the first.
 * The token of a claim is its time in microseconds.
 */
const IS_WAITING = `due_at > now() AND (abs(extract(epoch FROM due_at) - token / 1e6 - ${LEASE_S}) > 1
  OR token / 1e6 < extract(epoch FROM now()) - ${KILLED_AFTER_S})`;

/** A payment whose quote promises an amount to a recipient of its own. */
export interface Promised {
  readonly quoteId: string;
  readonly recipient: string;
}

/** A provider whose payments move when the test says so, beside a chain on which it pays. */
export abstract class ChainStage {
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

  /** Waits until it holds, and meanwhile has the witness inspect sooner than it would: a chain takes minutes to be final. */
  async soon(holds: () => Promise<boolean> | boolean): Promise<void> {
    await waitFor(
      async () => {
        if (await holds()) return true;
        await this.lookNow();
        return false;
      },
      { timeoutMs: 90_000, everyMs: 500, what: holds.toString() },
    );
  }

  /** Makes what waits for its next inspection due. */
  async lookNow(): Promise<void> {
    const { database } = this.shop;
    for (const table of ['payment_proof', 'deposit_watch'])
      await database.query(`UPDATE ${table} SET due_at = now() WHERE ${IS_WAITING}`);
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
