import type { Buyers } from '../../tools/chaos/buyers.ts';
import { sleep, type NextReplica } from '../../tools/chaos/readers.ts';

const LOOK_EVERY_MS = 100;

/** Asks about the payments in turn, in every way that a shop has. */
export class Onlooker {
  private isOver = false;
  private readonly looking: Promise<void>;

  constructor(
    private readonly next: NextReplica,
    private readonly buyers: Buyers,
  ) {
    this.looking = this.look();
  }

  async close(): Promise<void> {
    this.isOver = true;
    await this.looking;
  }

  private async look(): Promise<void> {
    for (let turn = 0; !this.isOver; turn += 1) {
      const newest = [...this.buyers.answered].slice(-10);
      const quoteId = newest[turn % newest.length] ?? '';
      const path = PATHS[turn % PATHS.length]?.(quoteId) ?? '';
      const answer = await this.next()
        .fetch(path)
        .catch(() => null);
      await answer?.body?.cancel();
      await sleep(LOOK_EVERY_MS);
    }
  }
}

const PATHS: readonly ((quoteId: string) => string)[] = [
  (quoteId) => `/api/status/${quoteId}`,
  (quoteId) => `/api/payments/${quoteId}`,
  (quoteId) => `/api/payments/${quoteId}/events`,
  () => '/api/payments?status=EXECUTING&status=COMPLETED&limit=50',
  () => '/api/webhook-deliveries?limit=20',
  () => '/api/chains',
  () => '/metrics',
];
