import type { Response } from 'express';

import type { KeyedRequest } from './keyed-request.ts';

/** Bounds the delay that one key's requests cause for another key to about a second. */
const MOST_OF_KEY = 500;
/** Streams have a bound of their own; a browser's stream that is refused once may never ask again. */
const STREAM = /^\/api\/(?:events|payments\/[^/]+)\/stream\/?$/i;

/** This API key has as many requests in progress as a process allows. */
export class TooManyInFlight extends Error {
  readonly code = 'too_many_in_flight';
  constructor() {
    super(
      `This API key has ${MOST_OF_KEY} requests in progress here, as many as one key may have. Send the next one when one is answered.`,
    );
  }
}

/** Counts the requests in progress of each API key, up to a bound. */
export class KeyShares {
  private readonly taken = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** True: the key has one more request, until `release`. False: it has as many as it may. */
  take(key: string): boolean {
    const others = this.taken.get(key) ?? 0;
    if (others >= this.most) return false;
    this.taken.set(key, others + 1);
    return true;
  }

  release(key: string): void {
    const left = (this.taken.get(key) ?? 0) - 1;
    if (left > 0) this.taken.set(key, left);
    else this.taken.delete(key);
  }
}

/** Bounds the requests that each API key has in progress at once. */
export class RequestsInFlight {
  private readonly shares = new KeyShares(MOST_OF_KEY);

  /** Counts a request with a known key until its response is over. Throws TooManyInFlight. */
  admit({ apiKeyName, originalUrl }: KeyedRequest, response: Response): void {
    if (apiKeyName === undefined || STREAM.test(originalUrl.split('?', 1)[0] ?? '')) return;
    // The client has left already: no later event reports its end.
    if (response.destroyed) return;
    if (!this.shares.take(apiKeyName)) throw new TooManyInFlight();
    response.once('close', () => this.shares.release(apiKeyName));
  }
}
