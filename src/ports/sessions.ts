/** The time without use after which a session ends. */
export const SESSION_IDLE_MS = 3_600_000;
/** How long after the sign-in a session ends, however much it is used. */
export const SESSION_MAX_MS = 12 * 3_600_000;

/** A browser that is signed in with an API key. The key's rights are not stored here: each request looks them up. */
export interface Session {
  readonly id: string;
  /** The SHA-256 of the API key, in hex. */
  readonly keyHash: string;
  /** The name of the key at the sign-in. */
  readonly keyName: string;
  readonly createdAt: Date;
  /** When the session was last used, as far as that was noted. */
  readonly lastUsedAt: Date;
  /** The end of a session that is used all the time. */
  readonly expiresAt: Date;
  readonly address: string;
  readonly userAgent: string;
}

/** When the session ends unless it is used before then. */
export function endOf({ lastUsedAt, expiresAt }: Session): Date {
  return new Date(Math.min(lastUsedAt.getTime() + SESSION_IDLE_MS, expiresAt.getTime()));
}

/** The sessions of all browsers. Only the browsers know their tokens: here they are SHA-256 hashes in hex. */
export abstract class Sessions {
  /**
   * Stores a session, and removes those of its key beyond `maxOfKey` that were used least recently; returns their ids. Of two
   * calls at once, the second sees the first.
   */
  abstract addSession(session: Session, tokenHash: string, maxOfKey: number): Promise<string[]>;
  /** The session of this token; an ended session is found until it is removed. */
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
