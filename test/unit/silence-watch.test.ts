import { EventEmitter } from 'node:events';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Client, ClientBase } from 'pg';

import { LIMITS, setOnce } from '../../src/database/connection/server-limits.ts';
import { SilenceWatch } from '../../src/database/connection/silence-watch.ts';

const SLOW_QUESTION_MS = 1_500;

/** A connection of the driver, whose statements end when the test says so. */
class FakeLine extends EventEmitter {
  readyForQuery = true;
  processID = 7;
  readonly connection = {
    stream: { bytesRead: 0, bytesWritten: 0, destroy: () => this.dropped() },
  };
  isDropped = false;

  getTransactionStatus(): string {
    return 'I';
  }

  /** The server's answer to `setOnce`: the connection belongs to the server itself. */
  query(): Promise<unknown> {
    return Promise.resolve({ rows: [{ is_own: true, is_guarded: false, started_us: '1' }] });
  }

  send(): void {
    this.readyForQuery = false;
    this.connection.stream.bytesWritten += 1;
  }

  private dropped(): void {
    this.isDropped = true;
    this.emit('end');
  }
}

describe('silence watch', () => {
  let lines: FakeLine[];
  let asked: string[];
  let questionMs: number;
  /** The beginnings of the role's running statements, on the clock of the process. */
  let running: () => number[];
  let onEnd: () => void;

  beforeEach(() => {
    jest.useFakeTimers();
    [lines, asked, questionMs, running, onEnd] = [[], [], 5, () => [], () => undefined];
    const answer = (): unknown[] =>
      running().map((since) => ({
        pid: 1,
        started_us: '1',
        waits_for_client: false,
        running_ms: performance.now() - since,
      }));
    const query = async (sql: string): Promise<unknown> => {
      const isEnd = sql.includes('pg_terminate_backend');
      asked.push(isEnd ? 'end' : 'look');
      await new Promise((resolve) => setTimeout(resolve, questionMs));
      if (isEnd) onEnd();
      return { rows: isEnd ? [] : answer() };
    };
    const beside = { query, end: () => Promise.resolve() } as unknown as Client;
    const watch = new SilenceWatch(() => Promise.resolve(beside));
    for (let opened = 0; opened < 2; opened += 1) {
      const line = new FakeLine();
      lines.push(line);
      watch.add(line as unknown as ClientBase);
    }
  });
  afterEach(() => {
    for (const line of lines) line.emit('end');
    jest.useRealTimers();
  });

  const dropped = (): boolean[] => lines.map(({ isDropped }) => isDropped);

  it.each([
    ['a question waits as long', SLOW_QUESTION_MS, (): number[] => []],
    ['it has waited there, and only now runs', 5, (sentAt: number): number[] => [sentAt + 3_000]],
  ])('leaves a statement alone behind a busy pooler: %s', async (_name, ms, runs) => {
    questionMs = ms;
    const sentAt = performance.now();
    running = () => runs(sentAt).filter((since) => since <= performance.now());
    lines[0]?.send();
    await jest.advanceTimersByTimeAsync(20_000);
    expect(asked.length).toBeGreaterThan(2);
    expect(dropped()).toEqual([false, false]);
  });

  it('finds a silent connection behind a pooler beside statements that end, and ends no session', async () => {
    running = () => [performance.now() - 50];
    lines[0]?.send();
    await jest.advanceTimersByTimeAsync(8_000);
    expect(dropped()).toEqual([true, true]);
    expect(asked).not.toContain('end');
  });

  it('leaves alone a connection that took a statement while the sessions of others were ended', async () => {
    for (const line of lines) await setOnce(line as unknown as ClientBase, LIMITS.respect);
    onEnd = () => lines[1]?.send();
    lines[0]?.send();
    await jest.advanceTimersByTimeAsync(4_000);
    expect(asked).toEqual(['look', 'end']);
    expect(dropped()).toEqual([true, false]);
  });
});
