import { setTimeout as sleep } from 'node:timers/promises';

import { isRecord } from '../../domain/payment/reading.ts';

/** The service can't be reached, or is another one: no other payment would fare better. */
export class ServiceAway extends Error {}

/** As long as the provider is away or its budget is used up, so long is a payment tried. */
const BUSY_UP_TO_MS = 15 * 60_000;
const AWAY_UP_TO_MS = 30_000;
/** Each replica reads a new key within a second or two. */
const NEW_KEY_UP_TO_MS = 10_000;
const PAUSE_MS = 1_000;
const TIMEOUT_MS = 60_000;
const BUSY = new Set([429, 503]);

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly retryAfterMs: number;
}

/** Sends requests to a running Paybell, at the pace that it asks for. */
export class PaybellApi {
  private readonly away = new AbortController();
  private readonly stopping: AbortSignal;
  /** By performance.now(): until then all workers wait, since one of them was answered with Retry-After. */
  private pausedUntil = 0;

  constructor(
    private readonly url: string,
    private readonly key: string,
    signal: AbortSignal,
    private readonly awayUpToMs = AWAY_UP_TO_MS,
  ) {
    this.stopping = AbortSignal.any([signal, this.away.signal]);
  }

  /**
   * The first answer that is not to be tried again, or the last one after a long time. Throws ServiceAway, from then on for
   * every request at once, and the signal's reason once it is aborted.
   */
  async request(method: 'GET' | 'POST', path: string, body?: string): Promise<Answer> {
    const startedAt = performance.now();
    for (;;) {
      const answer = await this.send(method, path, body);
      if (!BUSY.has(answer.status) && answer.status !== 401) return answer;
      const waitedMs = performance.now() - startedAt;
      if (!BUSY.has(answer.status) && waitedMs > NEW_KEY_UP_TO_MS)
        throw this.isAway(`The Paybell at ${this.url} does not use this database: it refuses a key of it.`);
      if (waitedMs > BUSY_UP_TO_MS) return answer;
      this.pausedUntil = Math.max(this.pausedUntil, performance.now() + answer.retryAfterMs);
    }
  }

  private async send(method: 'GET' | 'POST', path: string, body?: string): Promise<Answer> {
    await this.pause();
    const startedAt = performance.now();
    const headers = { 'content-type': 'application/json', 'x-api-key': this.key };
    for (;;) {
      const signal = AbortSignal.any([this.stopping, AbortSignal.timeout(TIMEOUT_MS)]);
      try {
        // A redirect would take the key elsewhere.
        const init = { method, headers, signal, redirect: 'error' } as const;
        return await answerOf(
          await fetch(`${this.url}${path}`, body === undefined ? init : { ...init, body }),
        );
      } catch (error) {
        this.stopping.throwIfAborted();
        if (performance.now() - startedAt > this.awayUpToMs)
          throw this.isAway(`Paybell does not answer at ${this.url}.`, error);
      }
      await this.sleep(PAUSE_MS);
    }
  }

  private async pause(): Promise<void> {
    for (let ms = this.pauseMs(); ms > 0; ms = this.pauseMs()) await this.sleep(ms);
  }

  private pauseMs(): number {
    return Math.ceil(this.pausedUntil - performance.now());
  }

  private async sleep(ms: number): Promise<void> {
    try {
      await sleep(ms, undefined, { signal: this.stopping });
    } finally {
      this.stopping.throwIfAborted();
    }
  }

  /** Ends every other call with the same error. */
  private isAway(message: string, cause?: unknown): ServiceAway {
    const error = new ServiceAway(message, { cause });
    this.away.abort(error);
    return error;
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const askedMs = Number.isFinite(seconds) ? seconds * 1_000 : PAUSE_MS;
  const retryAfterMs = Math.min(Math.max(askedMs, PAUSE_MS), BUSY_UP_TO_MS);
  return { status: response.status, body: objectOf(text), retryAfterMs };
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
