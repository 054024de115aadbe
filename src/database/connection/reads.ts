import type { DataSource, ObjectLiteral, Repository } from 'typeorm';

import type { Queries } from '../../ports/queries.ts';
import type { AddressPool } from './address-pool.ts';
import type { Answers } from './waiting.ts';

/** Shorter than the usual time-out of an HTTP client. */
const WAIT_UP_TO_MS = 5_000;
/** The share of the pool's connections that reads may take, rounded down, but at least one. */
const SHARE = 1 / 3;

/** Limits how many reads run at once; the others wait in line. */
export class ReadGate {
  private running = 0;
  private readonly lines = { looks: new Set<() => void>(), reads: new Set<() => void>() };

  constructor(
    private readonly source: DataSource,
    private readonly answers: Answers,
  ) {}

  private get isFull(): boolean {
    const { master: pool } = this.source.driver as { readonly master?: AddressPool };
    return this.running >= Math.max(1, Math.floor((pool?.allowed ?? 1) * SHARE));
  }

  get waiting(): number {
    return this.lines.looks.size + this.lines.reads.size;
  }

  /** Takes a place, and returns the function that gives it back. Throws StoreBusy after a wait, or StoreUnavailable. */
  async enter(line: keyof ReadGate['lines'], waitMs: number): Promise<() => void> {
    if (this.isFull) await this.wait(this.lines[line], waitMs);
    else this.running += 1;
    return () => this.leave();
  }

  private wait(line: Set<() => void>, waitMs: number): Promise<void> {
    const late = this.answers.sinceNow();
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.delete(enter);
        reject(late());
      }, waitMs);
      line.add(enter);
    });
  }

  /** Gives free places to the first in line. */
  private leave(): void {
    this.running -= 1;
    while (this.waiting > 0 && !this.isFull) {
      const line = this.lines.looks.size > 0 ? this.lines.looks : this.lines.reads;
      const [next] = line;
      if (next !== undefined) line.delete(next);
      this.running += 1;
      next?.();
    }
  }
}

/** The part of Database that runs a single statement. */
interface Statements extends Queries {
  withRepository<Row extends ObjectLiteral, Result>(
    repository: Repository<Row>,
    work: (repository: Repository<Row>) => Promise<Result>,
  ): Promise<Result>;
  within<Result>(ms: number, work: Promise<Result>): Promise<Result>;
}

/**
 * The access to PostgreSQL for reads. Reads use a share of the connections, so that quotes, polls and deliveries always have
 * free ones. Each statement takes a place of its own and holds no connection while it waits. Never use it inside a
 * transaction, which has a connection already.
 */
export class Reads implements Queries {
  constructor(
    private readonly database: Statements,
    private readonly gate: ReadGate,
    private readonly line: Parameters<ReadGate['enter']>[0],
  ) {}

  query<Row>(sql: string, parameters: readonly unknown[] = [], withinMs?: number): Promise<Row[]> {
    return this.inPlace(() => this.database.query<Row>(sql, parameters), withinMs);
  }

  withRepository<Row extends ObjectLiteral, Result>(
    repository: Repository<Row>,
    work: (repository: Repository<Row>) => Promise<Result>,
  ): Promise<Result> {
    return this.inPlace(() => this.database.withRepository(repository, work));
  }

  /** A read that was given up keeps its place until its statement ends. */
  private async inPlace<Result>(read: () => Promise<Result>, withinMs = Infinity): Promise<Result> {
    const leave = await this.gate.enter(this.line, Math.min(withinMs, WAIT_UP_TO_MS));
    const reading = read().finally(leave);
    return withinMs === Infinity ? reading : this.database.within(withinMs, reading);
  }
}
