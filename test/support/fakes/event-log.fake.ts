import { spellingsOf } from '../../../src/domain/payment/reading.ts';
import { randomUUID } from 'node:crypto';

import type { EventType } from '../../../src/domain/event/event.ts';
import { isAfter, LOG_START, parseCursor, type LogPosition } from '../../../src/domain/event/log-position.ts';
import {
  EventLog,
  type LoggedEvent,
  type LogFilter,
  type LogHolder,
  type LogPage,
} from '../../../src/ports/event-log.ts';

/** A log in memory; each event is a transaction of its own. The id of a payment is its quote's. */
export class FakeEventLog extends EventLog {
  readonly events: LoggedEvent[] = [];
  /** Order ids by quote id. */
  readonly orderIds = new Map<string, string>();
  /** How each page was asked for, in order. */
  readonly reads: { after: LogPosition; filter: LogFilter; limit: number }[] = [];
  heldMs = 0;
  /** The error of each read while it is set. */
  failure: Error | null = null;

  append(type: EventType, quoteId = 'q-1', more = ''): LoggedEvent {
    const rank = BigInt(this.events.length + 1);
    const id = randomUUID();
    const position = { rank, position: rank };
    const event = { id, type, paymentId: quoteId, body: `{"id":"${id}","n":${rank}${more}}`, position };
    this.events.push(event);
    return event;
  }

  async read(after: LogPosition, filter: LogFilter, limit: number): Promise<LogPage> {
    this.reads.push({ after, filter, limit });
    if (this.failure !== null) throw this.failure;
    const wanted = this.events.filter(
      (event) => isAfter(event.position, after) && this.isWanted(event, filter),
    );
    const events = wanted.slice(0, limit);
    const last = (wanted.length > limit ? events.at(-1) : this.events.at(-1))?.position ?? after;
    return { events, last };
  }

  async find(after: string): Promise<LogPosition | null> {
    const position = this.events.find(({ id }) => id === after)?.position ?? parseCursor(after);
    return position !== null && position.rank <= (await this.end()).rank ? position : null;
  }

  async end(): Promise<LogPosition> {
    if (this.failure !== null) throw this.failure;
    return this.events.at(-1)?.position ?? LOG_START;
  }

  async beforeLast(count: number): Promise<LogPosition> {
    return this.events.at(-count - 1)?.position ?? LOG_START;
  }

  async heldForMs(): Promise<number> {
    if (this.failure !== null) throw this.failure;
    return this.heldMs;
  }

  async holder(): Promise<LogHolder | null> {
    return this.heldMs > 0 ? { name: 'process 1 (psql)', since: new Date(0) } : null;
  }

  async paymentIdOf(quoteId: string): Promise<string | null> {
    return this.events.some((event) => event.paymentId === quoteId) ? quoteId : null;
  }

  private isWanted({ type, paymentId }: LoggedEvent, { types, quoteId, orderId }: LogFilter): boolean {
    return (
      (types.length === 0 || types.includes(type)) &&
      (quoteId === undefined || spellingsOf(quoteId).includes(paymentId)) &&
      (orderId === undefined || orderId === this.orderIds.get(paymentId))
    );
  }
}
