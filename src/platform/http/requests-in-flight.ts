import type { Response } from 'express';

import type { KeyedRequest } from './keyed-request.ts';

/** So that the requests of one key delay those of another one for no more than a second or so. */
const MOST_OF_KEY = 500;
/** Their number has a bound of its own, and a client that is refused once may never ask again. */
const STREAM = /^\/api\/(?:events|payments\/[^/]+)\/stream\/?$/i;

/** This API key has as many requests in progress as one key may have in a process. */
export class TooManyInFlight extends Error {
  readonly code = 'too_many_in_flight';
  constructor() {
    super(
      `This API key has ${MOST_OF_KEY} requests in progress here, as many as one key may have. Send the next one when one is answered.`,
    );
  }
}

/** Counts what each API key has in progress, up to a bound. */
export class KeyShares {
  private readonly taken = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** False: the key has as many as it may. Else it has one more, until `release`. */
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

  /** Counts a request whose key is known until its response is over. Throws TooManyInFlight. */
  admit({ apiKeyName, originalUrl }: KeyedRequest, response: Response): void {
    if (apiKeyName === undefined || STREAM.test(originalUrl.split('?', 1)[0] ?? '')) return;
    // Its client has left: there is no further word of its end.
    if (response.destroyed) return;
    if (!this.shares.take(apiKeyName)) throw new TooManyInFlight();
    response.once('close', () => this.shares.release(apiKeyName));
  }
}
