import type { Request } from 'express';

/** A second way to name an API key: the session of a request that sends no key. */
export abstract class SessionKeys {
  /**
   * The SHA-256 in hex of the key that the request's session was opened with; null without a session. It is asked again for a
   * stream that stays open. Throws StoreUnavailable.
   */
  abstract keyHashOf(request: Request): Promise<string | null>;
}

/** Only API keys count. */
export class NoSessions extends SessionKeys {
  override keyHashOf(): Promise<string | null> {
    return Promise.resolve(null);
  }
}
