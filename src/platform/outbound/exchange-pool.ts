import { setTimeout as sleep } from 'node:timers/promises';

import type { buildConnector, Dispatcher } from 'undici';

import { ExchangeError } from './exchange-error.ts';
import { type ExchangeEnd, HttpExchange } from './http-exchange.ts';

/** Requests in flight end by their own deadline; a socket that is still open this long after it is destroyed. */
const CLOSING_GRACE_MS = 500;

export interface PoolOptions {
  readonly origin: string;
  readonly connect: buildConnector.connector;
  /** The most requests in flight at once. */
  readonly maxConcurrency: number;
  readonly timeoutMs: number;
}

interface Waiting {
  readonly request: Dispatcher.DispatchOptions;
  readonly maxResponseBytes: number;
  readonly end: ExchangeEnd;
}

/**
 * Keep-alive connections to one origin, as many as requests may be in flight. undici's own pool searches for a free connection
 * from the first one on; with a thousand in flight, the search costs more than the request. A request without a free
 * connection waits; urgent requests go first.
 */
export class ExchangePool {
  private readonly all = new Set<HttpExchange>();
  private readonly free: HttpExchange[] = [];
  private readonly urgent: Waiting[] = [];
  private readonly others: Waiting[] = [];
  private isClosed = false;

  constructor(private readonly options: PoolOptions) {}

  /** Calls `end` once. Unless the pool is closed, it does so only after this method has returned. */
  send(
    request: Dispatcher.DispatchOptions,
    maxResponseBytes: number,
    end: ExchangeEnd,
    isUrgent: boolean,
  ): void {
    if (this.isClosed) return end.onFailure(new ExchangeError('UND_ERR_CLOSED'));
    const exchange = this.free.pop() ?? this.open();
    if (exchange !== null) exchange.send(request, maxResponseBytes, end);
    else (isUrgent ? this.urgent : this.others).push({ request, maxResponseBytes, end });
  }

  /** Waits for the requests in flight, up to a limit; waiting and later requests fail. */
  async close(withinMs: number): Promise<void> {
    this.isClosed = true;
    for (const { end } of [...this.urgent.splice(0), ...this.others.splice(0)])
      end.onFailure(new ExchangeError('UND_ERR_CLOSED'));
    const overdue = new AbortController();
    const overdueAt = sleep(withinMs + CLOSING_GRACE_MS, null, {
      ref: false,
      signal: overdue.signal,
    }).catch(() => null);
    await Promise.race([Promise.all([...this.all].map(({ client }) => client.close())), overdueAt]);
    overdue.abort();
    await Promise.all([...this.all].map((exchange) => exchange.destroy()));
  }

  private open(): HttpExchange | null {
    const { origin, connect, maxConcurrency, timeoutMs } = this.options;
    if (this.all.size >= maxConcurrency) return null;
    const exchange = new HttpExchange(origin, connect, timeoutMs, (ended, isUsable) =>
      this.release(ended, isUsable),
    );
    this.all.add(exchange);
    return exchange;
  }

  private release(exchange: HttpExchange, isUsable: boolean): void {
    if (isUsable) this.free.push(exchange);
    else {
      this.all.delete(exchange);
      void exchange.destroy();
    }
    const next = this.urgent.shift() ?? this.others.shift();
    if (next !== undefined) this.send(next.request, next.maxResponseBytes, next.end, false);
  }
}
