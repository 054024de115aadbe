import { endOf, type Session, Sessions } from '../../../src/ports/sessions.ts';

/** Sessions in memory. */
export class FakeSessions extends Sessions {
  private byToken = new Map<string, Session>();

  override async addSession(session: Session, tokenHash: string, maxOfKey: number): Promise<string[]> {
    const ofKey = this.newestFirst().filter(({ keyHash }) => keyHash === session.keyHash);
    const outnumbered = ofKey.slice(maxOfKey - 1).map(({ id }) => id);
    this.removeWhere(({ id }) => outnumbered.includes(id));
    this.byToken.set(tokenHash, session);
    return outnumbered;
  }

  override async find(tokenHash: string): Promise<Session | null> {
    return this.byToken.get(tokenHash) ?? null;
  }

  override async noteUse(id: string, at: Date, before: Date): Promise<void> {
    for (const [tokenHash, session] of this.byToken)
      if (session.id === id && session.lastUsedAt <= before)
        this.byToken.set(tokenHash, { ...session, lastUsedAt: at });
  }

  override async list(now: Date, limit: number): Promise<Session[]> {
    return this.newestFirst()
      .filter((session) => endOf(session) > now)
      .slice(0, limit);
  }

  override async remove(id: string): Promise<boolean> {
    return this.removeWhere((session) => session.id === id) > 0;
  }

  override async removeOfKey(keyHash: string): Promise<number> {
    return this.removeWhere((session) => session.keyHash === keyHash);
  }

  override async removeAll(): Promise<number> {
    return this.removeWhere(() => true);
  }

  override async removeEnded(now: Date): Promise<number> {
    return this.removeWhere((session) => endOf(session) <= now);
  }

  private newestFirst(): Session[] {
    const byUse = (one: Session, other: Session): number =>
      other.lastUsedAt.getTime() - one.lastUsedAt.getTime() || (one.id < other.id ? -1 : 1);
    return [...this.byToken.values()].sort(byUse);
  }

  private removeWhere(isGone: (session: Session) => boolean): number {
    const before = this.byToken.size;
    this.byToken = new Map([...this.byToken].filter(([, session]) => !isGone(session)));
    return before - this.byToken.size;
  }
}
