import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Capacity } from '../../ports/provider-view.ts';
import type { Timers } from '../../ports/timers.ts';
import type { QuoteStore } from '../shared/quote-store.ts';
import type { ChannelQuote } from './channel-quote.ts';
import { atCapacity, FULL_FOR_MS, type Order, slotOf } from './order.ts';

/** How long a channel lives on the main network; a broker's answer states no time. */
export const CHANNEL_LIVES_MS = 86_400_000;
const COUNTED_FOR_MS = 60_000;

/** Counts the open channels, which Chainflip limits for each recipient and pair. */
export class OpenChannels {
  private readonly counts: SharedWork<Capacity | null>;
  /** Recipients and pairs without a free channel, and when each may be asked about again. */
  private readonly full = new Map<string, number>();

  constructor(
    private readonly store: Pick<QuoteStore<ChannelQuote>, 'fullestSlot'>,
    private readonly limit: number,
    private readonly clock: Clock,
    timers: Timers,
  ) {
    this.counts = new SharedWork({ freshMs: COUNTED_FOR_MS, timesWork: 50, timers });
  }

  /** Counts the channels of the recipient and pair with most of them; null without any channel. */
  most(): Promise<Capacity | null> {
    return this.counts.run('channels', async () => {
      const most = await this.store.fullestSlot(new Date(this.nowMs - CHANNEL_LIVES_MS));
      return most === null ? null : { of: `open channels ${most.slot}`, used: most.count, limit: this.limit };
    });
  }

  /** Throws ProviderAtCapacity for an order that was lately refused because no channel was free. */
  refuseFull(order: Order): void {
    if ((this.full.get(slotOf(order)) ?? 0) > this.nowMs) throw atCapacity(order);
  }

  noteFull(order: Order): void {
    const { nowMs } = this;
    for (const [slot, untilMs] of this.full) if (untilMs <= nowMs) this.full.delete(slot);
    this.full.set(slotOf(order), nowMs + FULL_FOR_MS);
  }

  private get nowMs(): number {
    return this.clock.now().getTime();
  }
}
