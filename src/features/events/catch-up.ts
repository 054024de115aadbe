import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

import { Logger } from '@nestjs/common';

import { isAfter, type LogPosition } from '../../domain/event/log-position.ts';
import type { EventLog, LogFilter } from '../../ports/event-log.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { batchesOf, framed, type StreamBatch } from './stream-batch.ts';
import type { StreamClient } from './stream-client.ts';

/** How many reads run at once for all clients together: many new clients must not overload the database. */
const READS_AT_ONCE = 2;
const PAGE_SIZE = 50;
const AFTER_FAILURE_MS = 1_000;

/** Reads the log for clients that are behind, one page for each in turn, until they have caught up. */
export class CatchUp {
  private readonly logger = new Logger('event streams');
  private readonly served = new Set<StreamClient>();
  private waiting: StreamClient[] = [];
  private readonly stopping = new AbortController();
  private readonly readers = new Set<Promise<void>>();
  private reading = 0;

  constructor(
    private readonly log: EventLog,
    /** Moves a client that has caught up to the live stream; false while it is behind. */
    private readonly join: (client: StreamClient) => boolean,
  ) {}

  addClient(client: StreamClient): void {
    if (this.stopping.signal.aborted || this.served.has(client)) return;
    this.waiting.push(client);
    if (this.reading >= READS_AT_ONCE) return;
    this.reading += 1;
    const reader = this.run().finally(() => this.readers.delete(reader));
    this.readers.add(reader);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.readers);
  }

  private async run(): Promise<void> {
    for (;;) {
      const client = this.waiting.shift();
      if (client === undefined || this.stopping.signal.aborted) {
        // This does not stand in `finally`: a client that is added before the promise settles would find no reader.
        this.reading -= 1;
        return;
      }
      if (client.isOver || client.isStalled || this.join(client)) continue;
      await this.serve(client);
    }
  }

  /** Reads one page, and sends it to this client and to all waiting clients that need a part of the same page. */
  private async serve(client: StreamClient): Promise<void> {
    const together = [client];
    this.served.add(client);
    try {
      const { position } = client;
      const page = await this.log.read(position, logFilterOf(client), PAGE_SIZE);
      together.push(...this.takeAlike(client, page.last));
      const batches = batchesOf(position, page.events.map(framed), page.last);
      for (const each of together) await sendPage(each, batches);
    } catch (error) {
      // The loop that reads the tail logs that the database is away.
      if (!(error instanceof StoreUnavailable)) this.logger.error(`the log cannot be read: ${String(error)}`);
      await sleep(AFTER_FAILURE_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
    for (const each of together) {
      this.served.delete(each);
      if (!each.isStalled) this.waiting.push(each);
    }
  }

  /** Removes the waiting clients of the same kind whose position is in the page, from the client's position to `upTo`. */
  private takeAlike(client: StreamClient, upTo: LogPosition): StreamClient[] {
    const kind = kindOf(client);
    const isAlike = (other: StreamClient): boolean =>
      kindOf(other) === kind && !isAfter(client.position, other.position) && isAfter(upTo, other.position);
    const alike = this.waiting.filter(isAlike);
    if (alike.length > 0) this.waiting = this.waiting.filter((other) => !isAlike(other));
    for (const each of alike) this.served.add(each);
    return alike;
  }
}

function logFilterOf({ filter: { types, payment } }: StreamClient): LogFilter {
  return payment === null ? { types } : { types, quoteId: payment.quoteId };
}

/** Clients of one kind get the same events. */
function kindOf({ filter: { types, payment } }: StreamClient): string {
  return `${payment?.id ?? ''} ${types.join()}`;
}

async function sendPage(client: StreamClient, batches: readonly StreamBatch[]): Promise<void> {
  for (const batch of batches) {
    // Does not wait for a client that reads nothing.
    if (client.isStalled || client.isOver) return;
    client.send(batch);
    // After this turn, bytes that the socket accepted no longer count as buffered.
    await nextTurn();
  }
}
