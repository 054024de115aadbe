import { randomUUID } from 'node:crypto';

import { Injectable, Logger } from '@nestjs/common';

import { type KnownKey, KnownKeys } from '../../ports/api-keys.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { Clock } from '../../ports/clock.ts';
import { endOf, type Session, SESSION_MAX_MS, Sessions } from '../../ports/sessions.ts';
import { hashOfToken, isTokenOf, newToken } from './session-token.ts';

/** A use is noted at most this often. */
const NOTE_EVERY_MS = 60_000;
/** With one session more, the key's least recently used session ends. */
const MAX_SESSIONS_OF_KEY = 100;
const MAX_USER_AGENT = 200;

/** Opens, finds and ends sessions. */
@Injectable()
export class SessionService {
  private readonly log = new Logger(SessionService.name);
  private readonly notes = new SharedWork<void>();

  constructor(
    private readonly sessions: Sessions,
    private readonly keys: KnownKeys,
    private readonly clock: Clock,
  ) {}

  /** A new session, which is not stored yet. */
  newSession(key: KnownKey, address: string, userAgent: string): Session {
    const now = this.clock.now();
    return {
      id: randomUUID(),
      keyHash: key.hash.toString('hex'),
      keyName: key.name,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: new Date(now.getTime() + SESSION_MAX_MS),
      address,
      userAgent: userAgent.slice(0, MAX_USER_AGENT),
    };
  }

  /**
   * Stores a session; only the answer contains its token. `ended`: the ids of the sessions that end for it, including a
   * former session of the browser. Throws StoreUnavailable.
   */
  async open(session: Session, formerToken: string | null): Promise<{ token: string; ended: string[] }> {
    const token = newToken(Buffer.from(session.keyHash, 'hex'));
    const ended = await this.sessions.addSession(session, hashOfToken(token), MAX_SESSIONS_OF_KEY);
    const former = formerToken === null ? null : await this.find(formerToken);
    if (former !== null && (await this.sessions.remove(former.id))) ended.push(former.id);
    return { token, ended };
  }

  /** The session of this token while it lasts. An invented token causes no query. Throws StoreUnavailable. */
  async find(token: string): Promise<Session | null> {
    if ((await this.keys.keyWhere(({ hash }) => isTokenOf(token, hash))) === null) return null;
    const session = await this.sessions.find(hashOfToken(token));
    return session !== null && endOf(session) > this.clock.now() ? session : null;
  }

  /** Does the same as `find`, and prolongs the session. Throws StoreUnavailable. */
  async use(token: string): Promise<Session | null> {
    const session = await this.find(token);
    const now = this.clock.now();
    if (session === null || now.getTime() - session.lastUsedAt.getTime() < NOTE_EVERY_MS) return session;
    try {
      const before = new Date(now.getTime() - NOTE_EVERY_MS);
      await this.notes.run(session.id, () => this.sessions.noteUse(session.id, now, before));
      return { ...session, lastUsedAt: now };
    } catch (error) {
      // A database that takes no writes can still be viewed.
      this.log.debug(
        `a use of a session is not noted: ${error instanceof Error ? error.message : 'unknown'}`,
      );
      return session;
    }
  }

  /** Ends the session, or all sessions of its API key. Throws StoreUnavailable. */
  async close(session: Session, isEverywhere: boolean): Promise<void> {
    if (isEverywhere) await this.sessions.removeOfKey(session.keyHash);
    else await this.sessions.remove(session.id);
  }
}
