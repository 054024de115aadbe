import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, LessThanOrEqual, MoreThan, type Repository } from 'typeorm';

import { SESSION_IDLE_MS, type Session, Sessions } from '../../ports/sessions.ts';
import { Batcher, REQUESTS } from '../../platform/scheduling/batcher.ts';
import { failsAll } from '../connection/connection-errors.ts';
import { Database } from '../connection/database.ts';
import { SessionEntity } from '../entities/session.entity.ts';

/** Sessions in PostgreSQL, each under the hash of its token. */
@Injectable()
export class PostgresSessions extends Sessions {
  /** A page makes a dozen requests at once, each with its session: they share a read. */
  private readonly finds = new Batcher<string, Session | null>((hashes) => this.findGroup(hashes), {
    ...REQUESTS,
    failsAll,
  });

  constructor(
    private readonly database: Database,
    @InjectRepository(SessionEntity) private readonly sessions: Repository<SessionEntity>,
  ) {
    super();
  }

  addSession(session: Session, tokenHash: string, maxOfKey: number): Promise<string[]> {
    const { keyHash } = session;
    return this.database.transaction(async (queries, manager) => {
      await queries.query(LOCK_KEY, [keyHash]);
      const sessions = manager.withRepository(this.sessions);
      const outnumbered = await sessions.find({
        select: { id: true },
        where: { keyHash },
        order: { lastUsedAt: 'DESC', id: 'ASC' },
        skip: maxOfKey - 1,
      });
      const ids = outnumbered.map(({ id }) => id);
      if (ids.length > 0) await sessions.delete(ids);
      await sessions.insert({ ...session, tokenHash });
      return ids;
    });
  }

  find(tokenHash: string): Promise<Session | null> {
    return this.finds.add(tokenHash);
  }

  async noteUse(id: string, at: Date, before: Date): Promise<void> {
    await this.database.withRepository(this.sessions, (sessions) =>
      sessions.update({ id, lastUsedAt: LessThanOrEqual(before) }, { lastUsedAt: at }),
    );
  }

  list(now: Date, limit: number): Promise<Session[]> {
    return this.database.reads.withRepository(this.sessions, (sessions) =>
      sessions.find({
        where: { expiresAt: MoreThan(now), lastUsedAt: MoreThan(idleSince(now)) },
        order: { lastUsedAt: 'DESC', id: 'ASC' },
        take: limit,
      }),
    );
  }

  remove(id: string): Promise<boolean> {
    return this.removeWhere({ id }).then((count) => count > 0);
  }

  removeOfKey(keyHash: string): Promise<number> {
    return this.removeWhere({ keyHash });
  }

  async removeAll(): Promise<number> {
    const removed = await this.database.withRepository(this.sessions, (sessions) => sessions.deleteAll());
    return removed.affected ?? 0;
  }

  removeEnded(now: Date): Promise<number> {
    return this.removeWhere([
      { expiresAt: LessThanOrEqual(now) },
      { lastUsedAt: LessThanOrEqual(idleSince(now)) },
    ]);
  }

  /** Reads the sessions one after another, each once. */
  private async findGroup(hashes: readonly string[]): Promise<(Session | null)[]> {
    const found = new Map<string, Session | null>();
    for (const tokenHash of new Set(hashes))
      found.set(
        tokenHash,
        await this.database.withRepository(this.sessions, (sessions) => sessions.findOneBy({ tokenHash })),
      );
    return hashes.map((hash) => found.get(hash) ?? null);
  }

  private async removeWhere(
    where: FindOptionsWhere<SessionEntity> | FindOptionsWhere<SessionEntity>[],
  ): Promise<number> {
    const removed = await this.database.withRepository(this.sessions, (sessions) => sessions.delete(where));
    return removed.affected ?? 0;
  }
}

function idleSince(now: Date): Date {
  return new Date(now.getTime() - SESSION_IDLE_MS);
}

/** Without the lock, two concurrent sign-ins would each make room for their own session only. */
const LOCK_KEY = `SELECT pg_advisory_xact_lock(hashtextextended('paybell sessions ' || $1::text, 0))`;
