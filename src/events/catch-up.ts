import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

import { Logger } from '@nestjs/common';

import type { EventLog, LogPage } from '../ports/event-log.ts';
import { StoreUnavailable } from '../ports/payments.ts';
import { framed } from './stream-batch.ts';
import type { StreamClient } from './stream-client.ts';

/** Of all clients together: however many come at once, the database is left to others. */
const READS_AT_ONCE = 2;
const PAGE_SIZE = 50;
const AFTER_FAILURE_MS = 1_000;

/** Reads the log for clients that are behind, a page for each in turn, until they have caught up. */
export class CatchUp {
  private readonly warnings = new Logger('event streams');
  private readonly served = new Set<StreamClient>();
  private readonly waiting: StreamClient[] = [];
  private readonly stopping = new AbortController();
  private readonly readers = new Set<Promise<void>>();
  private reading = 0;

  constructor(
    private readonly log: EventLog,
    /** True once the client has caught up, and takes part in what all are told. */
    private readonly join: (client: StreamClient) => boolean,
  ) {}

  add(client: StreamClient): void {
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
        // Not after the promise has settled: a client that is added in between would wait for nobody.
        this.reading -= 1;
        return;
      }
      if (client.isOver || client.isStalled || this.join(client)) continue;
      this.served.add(client);
      await this.serve(client);
      this.served.delete(client);
      if (!client.isStalled) this.waiting.push(client);
    }
  }

  private async serve(client: StreamClient): Promise<void> {
    const { types, payment } = client.filter;
    const filter = payment === null ? { types } : { types, quoteId: payment.quoteId };
    try {
      await this.tellPage(client, await this.log.read(client.place, filter, PAGE_SIZE));
    } catch (error) {
      // A database that is away is told of by the reader of the tail.
      if (!(error instanceof StoreUnavailable))
        this.warnings.error(`the log can't be read: ${String(error)}`);
      await sleep(AFTER_FAILURE_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private async tellPage(client: StreamClient, { events, seenTo }: LogPage): Promise<void> {
    for (let rest = events.map(framed); ;) {
      rest = rest.slice(client.tellEach(rest, seenTo));
      if (rest.length === 0) return;
      // What the system has taken counts as taken only then; a client that takes nothing is not waited for.
      await nextTurn();
      if (client.isStalled || client.isOver) return;
    }
  }
}
