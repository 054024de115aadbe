import { Injectable } from '@nestjs/common';

import { SESSION_IDLE_MS, type Session, Sessions } from '../../ports/sessions.ts';
import { Database } from '../connection/database.ts';

/** Sessions in PostgreSQL, each under the hash of its token. */
@Injectable()
export class PostgresSessions extends Sessions {
  constructor(private readonly database: Database) {
    super();
  }

  add(session: Session, tokenHash: string, maxOfKey: number): Promise<string[]> {
    const { id, keyHash, keyName, createdAt, lastUsedAt, expiresAt, address, userAgent } = session;
    const who = [id, tokenHash, keyHash, keyName];
    const times = [createdAt, lastUsedAt, expiresAt];
    return this.database.transaction(async (queries) => {
      await queries.query(LOCK_KEY, [keyHash]);
      const given = [...who, ...times, address, userAgent, maxOfKey - 1];
      return (await queries.query<{ id: string }>(ADD, given)).map((outnumbered) => outnumbered.id);
    });
  }

  async find(tokenHash: string): Promise<Session | null> {
    const [session] = await this.database.query<Session>(`${SELECT} WHERE token_hash = $1`, [tokenHash]);
    return session ?? null;
  }

  async noteUse(id: string, at: Date, before: Date): Promise<void> {
    await this.database.query(
      `UPDATE dashboard_session SET last_used_at = $2 WHERE id = $1 AND last_used_at <= $3`,
      [id, at, before],
    );
  }

  list(now: Date, limit: number): Promise<Session[]> {
    return this.database.query<Session>(LIST, [now, idleSince(now), limit]);
  }

  remove(id: string): Promise<boolean> {
    return this.removeWhere(`id = $1`, [id]).then((count) => count > 0);
  }

  removeOfKey(keyHash: string): Promise<number> {
    return this.removeWhere(`key_hash = $1`, [keyHash]);
  }

  removeAll(): Promise<number> {
    return this.removeWhere(`true`, []);
  }

  removeEnded(now: Date): Promise<number> {
    return this.removeWhere(`expires_at <= $1 OR last_used_at <= $2`, [now, idleSince(now)]);
  }

  private async removeWhere(condition: string, parameters: readonly unknown[]): Promise<number> {
    const sql = `DELETE FROM dashboard_session WHERE ${condition} RETURNING 1`;
    return (await this.database.query(sql, parameters)).length;
  }
}

function idleSince(now: Date): Date {
  return new Date(now.getTime() - SESSION_IDLE_MS);
}

/** Two sign-ins at once would each make room for their own session alone. */
const LOCK_KEY = `SELECT pg_advisory_xact_lock(hashtextextended('paybell sessions ' || $1::text, 0))`;

/** The statement sees the sessions as they were before it: one fewer than may stay. */
const ADD = `
  WITH outnumbered AS (
    DELETE FROM dashboard_session WHERE id IN (
      SELECT id FROM dashboard_session WHERE key_hash = $3 ORDER BY last_used_at DESC, id OFFSET $10::int)
    RETURNING id),
  added AS (
    INSERT INTO dashboard_session
      (id, token_hash, key_hash, key_name, created_at, last_used_at, expires_at, address, user_agent)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9))
  SELECT id FROM outnumbered`;

const SELECT = `
  SELECT id, key_hash AS "keyHash", key_name AS "keyName", created_at AS "createdAt", last_used_at AS "lastUsedAt",
    expires_at AS "expiresAt", address, user_agent AS "userAgent"
  FROM dashboard_session`;

const LIST = `${SELECT} WHERE expires_at > $1 AND last_used_at > $2 ORDER BY last_used_at DESC, id LIMIT $3`;
