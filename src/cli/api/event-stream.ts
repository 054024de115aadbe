import { setTimeout as sleep } from 'node:timers/promises';

import type { Response } from 'undici';

import { CommandError } from '../output/exit-status.ts';
import { note } from '../output/print.ts';
import { queryText } from './api-client.ts';
import { ApiProblem } from './problem.ts';
import type { Session } from './session.ts';
import { SseParser, type SseBlock } from './sse-parser.ts';

export interface StreamedEvent {
  /** The event's id, after which the stream continues. */
  readonly id: string;
  readonly type: string;
  /** The event's JSON, as webhooks carry it. */
  readonly body: string;
}

export interface StreamFilter {
  readonly types: readonly string[];
  /** Null: from now on. */
  readonly after: string | null;
  /** Only this payment's events, from its first one on. */
  readonly quoteId?: string;
}

const RECONNECT_MS = 2_000;
const BUSY: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** Events as they happen. After a broken connection the stream resumes without loss or repetition. */
export class EventFollower {
  /** The position of the last event: its id, or a cursor before the first one. */
  position: string | null = null;

  constructor(
    private readonly session: Session,
    private readonly filter: StreamFilter,
  ) {}

  async *events(): AsyncGenerator<StreamedEvent> {
    const { signal } = this.session;
    for (let tries = 1; ; tries += 1) {
      try {
        const response = await this.connect();
        if (tries > 1) note('Connected again.');
        tries = 1;
        yield* this.read(response);
      } catch (error) {
        signal.throwIfAborted();
        // Without a position to resume from, events would be missing.
        if (this.position === null || !mayPass(error)) throw error;
      }
      signal.throwIfAborted();
      if (tries === 1) note('The stream broke off: connecting again.');
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  private connect(): Promise<Response> {
    const { types, after, quoteId } = this.filter;
    const query = quoteId === undefined ? { type: types, after: after ?? undefined } : {};
    const path = quoteId === undefined ? 'events' : `payments/${encodeURIComponent(quoteId)}`;
    const headers: Record<string, string> = this.position === null ? {} : { 'last-event-id': this.position };
    return this.session.api.open(`/api/${path}/stream${queryText(query)}`, {
      accept: 'text/event-stream',
      headers,
    });
  }

  private async *read({ body }: Response): AsyncGenerator<StreamedEvent> {
    if (body === null) return;
    const parser = new SseParser();
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        for (const block of parser.take(value)) yield* this.take(block);
      }
    } catch (cause) {
      throw new BrokenStream(cause);
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  private *take({ id, type, data, comments }: SseBlock): Generator<StreamedEvent> {
    for (const comment of comments) if (comment !== '') note(comment);
    if (data !== null && id !== null) yield { id, type, body: data };
    // Set after the event is handled, so that an unhandled event is sent again.
    if (id !== null) this.position = id;
  }
}

class BrokenStream extends Error {
  constructor(cause: unknown) {
    super('The stream broke off.', { cause });
  }
}

/** Whether another try may succeed: not if the key is refused, or the position is unknown. */
function mayPass(error: unknown): boolean {
  if (error instanceof BrokenStream) return true;
  if (error instanceof ApiProblem) return BUSY.has(error.httpStatus);
  return error instanceof CommandError;
}
