import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { Logger } from '@nestjs/common';
import type { Client, ClientBase } from 'pg';

import { DEAD_CONNECTION } from './connection-errors.ts';
import { backendOf } from './server-limits.ts';
import { endSessions, ServerSessions } from './server-sessions.ts';

const LOOK_EVERY_MS = 500;
/** A statement that has waited this long without a byte makes another connection ask the server. */
const PATIENCE_MS = 3_000;
/** A shorter wait, once other connections were found silent; no shorter wait is judged at all. */
const SUSPICIOUS_MS = 1_000;
const SUSPICION_MS = 30_000;

/** The parts of the driver's client that its types leave out. */
type Wire = ClientBase & {
  /** False while a statement waits for its answer. */
  readonly readyForQuery?: boolean;
  readonly connection?: { readonly stream?: Socket };
};

/** A connection, as the watch last saw it. */
class Line {
  private bytesRead = 0;
  /** Bytes sent and received. */
  bytesMoved = 0;
  heardAt = performance.now();
  /**
   * The time since which the connection has waited for an answer, counted from its last byte in either direction; null: it
   * waits for none.
   */
  waitsSince: number | null = null;
  /** The time by which a pooler must have passed the statement on: a later statement was answered at once. */
  private reachedAt: number | null = null;

  constructor(readonly client: Wire) {
    this.look(this.heardAt);
  }

  look(now: number): void {
    const { bytesRead = 0, bytesWritten = 0, writableLength = 0 } = this.client.connection?.stream ?? {};
    const bytesMoved = bytesRead + bytesWritten - writableLength;
    if (bytesRead !== this.bytesRead) this.heardAt = now;
    // A statement whose bytes still leave over a slow line is not silent.
    if (bytesMoved !== this.bytesMoved) this.waitsSince = null;
    [this.bytesRead, this.bytesMoved] = [bytesRead, bytesMoved];
    this.waitsSince = this.client.readyForQuery === false ? (this.waitsSince ?? now) : null;
    if (this.waitsSince === null || this.waitsSince === now) this.reachedAt = null;
  }

  /**
   * The shortest time that the server can have worked on this statement, given that another one, sent at `askedAt`, was
   * answered at `now`.
   */
  workedMs(askedAt: number, now: number): number {
    if (this.waitsSince !== null && this.waitsSince <= askedAt) this.reachedAt ??= now;
    return now - (this.reachedAt ?? now);
  }

  /** The pool has closed the connection; a silent one never confirms this. */
  get isOver(): boolean {
    return this.client.connection?.stream?.writableEnded === true;
  }

  waitedMs(now: number): number {
    return this.waitsSince === null ? 0 : now - this.waitsSince;
  }

  /** No statement and no transaction is running. */
  get isIdle(): boolean {
    return this.waitsSince === null && this.client.getTransactionStatus() === 'I';
  }
}

/**
 * Finds connections that swallow every byte while a new connection is answered, as after a firewall has forgotten them or a
 * failover without a reset. Seconds later their statements fail like those on a lost connection. Statements that the server
 * still works on, or that wait there for a lock, keep their connections.
 */
export class SilenceWatch {
  private readonly log = new Logger('Database');
  private readonly lines = new Set<Line>();
  private timer: NodeJS.Timeout | undefined;
  private isAsking = false;
  private askAgainAt = Number.NEGATIVE_INFINITY;
  private suspiciousUntil = Number.NEGATIVE_INFINITY;

  /** `connectBeside` opens a connection that is not watched, with bounded waits. */
  constructor(private readonly connectBeside: () => Promise<Client>) {}

  /** How many connections are watched: all that are open. */
  get size(): number {
    return this.lines.size;
  }

  add(client: ClientBase): void {
    const line = new Line(client);
    this.lines.add(line);
    client.once('end', () => this.remove(line));
    this.timer ??= setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  private remove(line: Line): void {
    this.lines.delete(line);
    if (this.lines.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    const now = performance.now();
    for (const line of this.lines) {
      line.look(now);
      if (line.isOver) this.remove(line);
    }
    const patienceMs = now < this.suspiciousUntil ? SUSPICIOUS_MS : PATIENCE_MS;
    const isDue = [...this.lines].some((line) => line.waitedMs(now) >= patienceMs);
    if (!isDue || this.isAsking || now < this.askAgainAt) return;
    this.isAsking = true;
    void this.ask().then((isAnswered) => {
      this.isAsking = false;
      this.askAgainAt = performance.now() + (isAnswered ? patienceMs : SUSPICIOUS_MS);
    });
  }

  /**
   * Drops no connection while the server gives no answer: then the database itself is away, and the connections may come back
   * with it.
   */
  private async ask(): Promise<boolean> {
    const beside = await this.connectBeside().catch(() => null);
    if (beside === null) return false;
    try {
      const askedAt = performance.now();
      const sessions = await ServerSessions.read(beside);
      // The cause of this delay, such as a pooler without a free connection, delays the statements too.
      if (performance.now() - askedAt >= SUSPICIOUS_MS) return false;
      this.drop(await this.stillSilent(this.silentBy(sessions, askedAt), beside));
      return true;
    } catch {
      return false;
    } finally {
      void beside.end().catch(() => undefined);
    }
  }

  /**
   * Connections whose statement never reached the server or whose answer is lost, and idle ones that have received
   * nothing since.
   */
  private silentBy(sessions: ServerSessions, askedAt: number): Line[] {
    const now = performance.now();
    for (const line of this.lines) line.look(now);
    const lines = [...this.lines];
    const silent = lines.filter((line) => {
      const isAtWork = sessions.isAtWork(backendOf(line.client), line.workedMs(askedAt, now));
      return line.waitedMs(now) >= SUSPICIOUS_MS && !isAtWork;
    });
    const began = Math.min(...silent.map((line) => line.waitsSince ?? now));
    const idle = lines.filter((line) => line.isIdle && line.heardAt <= began + LOOK_EVERY_MS);
    return silent.length === 0 ? [] : [...silent, ...idle];
  }

  /**
   * Ends the sessions of silent connections, whose locks would block the statements that are sent again. Leaves out
   * connections whose bytes have moved meanwhile.
   */
  private async stillSilent(silent: readonly Line[], beside: Client): Promise<Line[]> {
    const moved = silent.map(({ bytesMoved }) => bytesMoved);
    const backends = silent.flatMap(({ client }) => backendOf(client) ?? []);
    if (backends.length > 0) await endSessions(beside, backends).catch(() => undefined);
    // Lets bytes that have already arrived be read first.
    await nextTurn();
    for (const line of silent) line.look(performance.now());
    const still = silent.filter(({ bytesMoved }, index) => bytesMoved === moved[index]);
    return still.some(({ waitsSince }) => waitsSince !== null) ? still : [];
  }

  private drop(silent: readonly Line[]): void {
    if (silent.length === 0) return;
    this.suspiciousUntil = performance.now() + SUSPICION_MS;
    for (const { client } of silent) client.connection?.stream?.destroy(new Error(DEAD_CONNECTION));
    const idle = silent.filter(({ waitsSince }) => waitsSince === null).length;
    this.log.warn(
      `the database answers a new connection, and old ones are silent: dropped ${silent.length} of them, ${idle} without a statement`,
    );
  }
}
