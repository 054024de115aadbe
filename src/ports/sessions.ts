/** The time without use after which a session ends. */
export const SESSION_IDLE_MS = 3_600_000;
/** The time after the sign-in when a session ends, however much it is used. */
export const SESSION_MAX_MS = 12 * 3_600_000;

/** A browser that is signed in with an API key. What the key may do is looked up at each request, and not stored here. */
export interface Session {
  readonly id: string;
  /** The SHA-256 of the API key, in hex. */
  readonly keyHash: string;
  /** The name that the key had at the sign-in. */
  readonly keyName: string;
  readonly createdAt: Date;
  /** When it was last used, as far as that was noted. */
  readonly lastUsedAt: Date;
  /** The end of a session that is used all the time. */
  readonly expiresAt: Date;
  readonly address: string;
  readonly userAgent: string;
}

/** When the session ends unless it is used before. */
export function endOf({ lastUsedAt, expiresAt }: Session): Date {
  return new Date(Math.min(lastUsedAt.getTime() + SESSION_IDLE_MS, expiresAt.getTime()));
}

/** The sessions of all browsers. Their tokens are known to the browsers alone: here are the SHA-256 of tokens, in hex. */
export abstract class Sessions {
  /**
   * Stores a session, and removes those of its key that are beyond `maxOfKey`, the ones that were used least recently; returns
   * their ids. Of two at once the second sees the first.
   */
  abstract addSession(session: Session, tokenHash: string, maxOfKey: number): Promise<string[]>;
  /** The session of this token, ended ones included until they are removed. */
  abstract find(tokenHash: string): Promise<Session | null>;
  /** Notes a use of the session, unless one after `before` is noted. */
  abstract noteUse(id: string, at: Date, before: Date): Promise<void>;
  /** The sessions that have not ended by then, the most recently used first. */
  abstract list(now: Date, limit: number): Promise<Session[]>;
  /** Returns false when there is no such session. */
  abstract remove(id: string): Promise<boolean>;
  /** Removes the sessions of one API key; returns how many. */
  abstract removeOfKey(keyHash: string): Promise<number>;
  /** Removes all sessions; returns how many. */
  abstract removeAll(): Promise<number>;
  /** Removes the sessions that have ended by then; returns how many. */
  abstract removeEnded(now: Date): Promise<number>;
}
