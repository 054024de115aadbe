import { Logger } from '@nestjs/common';

import { RecentKeys } from '../notices/recent-keys.ts';
import type { RelayStore } from '../quote/relay-store.ts';

/** A request of our key with a deposit. */
export interface PaidRequest {
  readonly requestId: string;
  readonly address: string;
}

const MAX_NAMED = 5;
/** How often the log may report: another program that shares the key must not fill it. */
const LOG_GAP_MS = 60_000;

/**
 * Reports paid requests of our key that belong to no stored quote, as after the database went back. It does not adopt these
 * requests: Relay does not know our quote id, and a request may belong to another program or continue a known one.
 */
export class UnknownRequests {
  private readonly log = new Logger('Relay');
  private readonly seen = new RecentKeys();
  private unreported: string[] = [];
  private count = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly store: Pick<RelayStore, 'unknownAmong'>) {}

  async report(paid: readonly PaidRequest[]): Promise<void> {
    const news = paid.filter(({ requestId }) => !this.seen.has(requestId));
    if (news.length > 0) {
      const unknown = await this.store.unknownAmong(news);
      for (const { requestId } of news) this.seen.add(requestId);
      this.count += unknown.length;
      this.unreported = [...this.unreported, ...unknown].slice(0, MAX_NAMED);
    }
    if (this.count > 0 && performance.now() - this.loggedAt >= LOG_GAP_MS) this.write();
  }

  private write(): void {
    const named = `${this.unreported.join(', ')}${this.count > MAX_NAMED ? ' and others' : ''}`;
    this.log.warn(
      `Relay lists ${this.count} paid requests of this key that belong to no stored quote: ${named}; if the database went back, hand their quotes over again`,
    );
    [this.count, this.unreported, this.loggedAt] = [0, [], performance.now()];
  }
}
