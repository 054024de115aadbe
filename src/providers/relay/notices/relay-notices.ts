import type { IncomingHttpHeaders } from 'node:http';

import type { Clock } from '../../../ports/clock.ts';
import type { ProviderMeter, NoticeOutcome } from '../../../ports/meter.ts';
import type { PollRequests } from '../../../ports/poll-requests.ts';
import { InvalidSignature, NoticeSignature } from './notice-signature.ts';
import { RecentKeys } from './recent-keys.ts';
import { parseNotice } from './relay-hint.ts';
import type { RelayStore } from '../quote/relay-store.ts';

/** Makes a payment due when Relay sends a notice about it. The notice itself changes no payment: the poll does. */
export class RelayNotices {
  private readonly signature: NoticeSignature;
  private readonly recent = new RecentKeys();

  constructor(
    /** The API keys with which Relay may sign: the current key and, during a replacement, the previous one. */
    keys: readonly string[],
    private readonly store: Pick<RelayStore, 'quoteIdsOf'>,
    private readonly pollRequests: Pick<PollRequests, 'makeDue'>,
    private readonly meter: ProviderMeter,
    private readonly clock: Clock,
  ) {
    this.signature = new NoticeSignature(keys);
  }

  /**
   * Runs at most one query. Throws InvalidSignature, and StoreUnavailable, after which Relay sends the notice again. Accepts
   * any other signed notice, even an unreadable one, which Relay would only repeat.
   */
  async take(headers: IncomingHttpHeaders, body: Uint8Array): Promise<void> {
    if (!this.signature.isGood(headers, body, this.clock.now())) {
      this.meter.noticed('refused');
      throw new InvalidSignature();
    }
    this.meter.noticed(await this.handle(body));
  }

  private async handle(body: Uint8Array): Promise<NoticeOutcome> {
    const hint = parseNotice(body);
    if (hint === null) return 'unreadable';
    if (hint.key !== null && this.recent.has(hint.key)) return 'duplicate';
    const quoteIds = await this.store.quoteIdsOf(hint);
    if (hint.key !== null) this.recent.add(hint.key);
    if (quoteIds.length === 0) return 'unknown';
    this.pollRequests.makeDue(quoteIds);
    return 'accepted';
  }
}
