import type { Request } from 'express';

/** A second way to identify an API key: the session of a request without a key. */
export abstract class SessionKeys {
  /**
   * The SHA-256 in hex of the key that opened the request's session; null without a session. For a stream that stays open it
   * is called repeatedly. Throws StoreUnavailable.
   */
  abstract keyHashOf(request: Request): Promise<string | null>;
}

/** Accepts API keys only. */
export class NoSessions extends SessionKeys {
  override keyHashOf(): Promise<string | null> {
    return Promise.resolve(null);
  }
}
