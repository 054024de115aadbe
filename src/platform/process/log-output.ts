import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Lines that could not be written since the last successful write. */
export interface Dropped {
  readonly lines: number;
  readonly since: Date;
  /** The error code of the first failure, such as ENOSPC. */
  readonly cause: string;
}

/** Writes the first bytes, and returns how many. Throws an error with a code. */
type WriteSome = (bytes: Buffer) => number;

export const STDOUT = 1;

const BUSY = 'EAGAIN';
const UNKNOWN = 'unknown';
/** The bounds for a slow reader: the number of waiting bytes, and the time since it last read. */
const MOST_WAITING_BYTES = 256 * 1024;
const MOST_WAITING_MS = 1_000;
const RETRY_EVERY_MS = 100;
/** How long the end of the process waits for the reader. */
const LAST_WAIT_MS = 500;
const LAST_RETRY_MS = 10;

const total = { ENOSPC: 0, EIO: 0, EPIPE: 0, EAGAIN: 0, other: 0 };

/** How many lines this process has dropped, by cause. */
export function droppedLines(): Readonly<typeof total> {
  return total;
}

/**
 * Writes lines in order. It never throws, never blocks and keeps a bounded number of bytes. A line that cannot be written is
 * dropped, and once writing works again, a further line reports this. (sonic-boom, which pino uses, sleeps in the event loop
 * while a pipe is full, and its flush repeats other failures for ever.)
 */
export class LogOutput {
  /** The rest of a line that is partly written. */
  private rest: Buffer | null = null;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private dropped: Dropped | null = null;
  private progressAtMs = 0;
  private retry: NodeJS.Timeout | null = null;

  /** `lineOf` makes the line that reports dropped lines. */
  static onStandardOutput(lineOf: (dropped: Dropped) => string): LogOutput {
    const fd = openUnblocked(STDOUT);
    const output = new LogOutput((bytes) => writeSync(fd, bytes), lineOf);
    current = output;
    process.off('exit', endCurrent).once('exit', endCurrent);
    return output;
  }

  constructor(
    private readonly writeSome: WriteSome,
    private readonly lineOf: (dropped: Dropped) => string,
  ) {}

  /** Returns the error code for which the line was dropped; null: the line is written, or waits. */
  write(line: string): string | null {
    const blocked = this.flush();
    const bytes = Buffer.from(line);
    const failed = blocked ?? this.put(bytes);
    if (failed === null) return null;
    this.keepTrying();
    const isBegun = blocked === null && this.rest !== null;
    if (isBegun) return null;
    const mayWait = failed === BUSY && this.dropped === null;
    if (!mayWait || this.waitingBytes + bytes.length > MOST_WAITING_BYTES) return this.drop(1, failed);
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    return null;
  }

  /** Call it at the end of the process. It waits a moment for a slow reader. */
  end(): void {
    const until = performance.now() + LAST_WAIT_MS;
    while (this.flush() === BUSY && this.dropped === null && performance.now() < until) pause(LAST_RETRY_MS);
  }

  private keepTrying(): void {
    if (this.retry !== null) return;
    this.progressAtMs = performance.now();
    this.retry = setInterval(() => this.tryAgain(), RETRY_EVERY_MS).unref();
  }

  private tryAgain(): void {
    const failed = this.flush();
    if (failed === null) {
      clearInterval(this.retry ?? undefined);
      this.retry = null;
    } else if (failed !== BUSY || performance.now() - this.progressAtMs > MOST_WAITING_MS) {
      this.drop(this.waiting.splice(0).length, failed);
      this.waitingBytes = 0;
    }
  }

  /** Returns null once nothing waits and all dropped lines are reported; otherwise the error code that prevents it. */
  private flush(): string | null {
    let failed = this.rest === null ? null : this.putRest(this.rest);
    for (let next = this.waiting[0]; next !== undefined && failed === null; next = this.waiting[0]) {
      failed = this.put(next);
      if (failed !== null && this.rest === null) break;
      this.waiting.shift();
      this.waitingBytes -= next.length;
    }
    if (this.dropped === null || failed !== null) return failed;
    failed = this.put(Buffer.from(this.lineOf(this.dropped)));
    if (failed === null || this.rest !== null) this.dropped = null;
    return failed;
  }

  private putRest(rest: Buffer): string | null {
    this.rest = null;
    const failed = this.put(rest);
    if (failed !== null) this.rest ??= rest;
    return failed;
  }

  /** Returns the error code that ended the write; the remainder of a line that was begun is then in `rest`. */
  private put(bytes: Buffer): string | null {
    let left = bytes;
    try {
      while (left.length > 0) {
        const written = this.writeSome(left);
        if (written === 0) throw new Error('nothing was written');
        left = left.subarray(written);
        this.progressAtMs = performance.now();
      }
      return null;
    } catch (error) {
      if (left.length < bytes.length) this.rest = left;
      const { code } = error as NodeJS.ErrnoException;
      return typeof code === 'string' ? code : UNKNOWN;
    }
  }

  private drop(lines: number, cause: string): string {
    if (lines > 0) {
      total[isCounted(cause) ? cause : 'other'] += lines;
      const { dropped } = this;
      this.dropped = { since: new Date(), cause, ...dropped, lines: (dropped?.lines ?? 0) + lines };
    }
    return cause;
  }
}

/** `3 lines could not be written since 2026-11-20T12:00:00.000Z, and are lost: ENOSPC` */
export function sayDropped({ lines, since, cause }: Dropped): string {
  const subject = lines === 1 ? '1 line' : `${lines} lines`;
  return `${subject} could not be written since ${since.toISOString()}, and are lost: ${cause}`;
}

/** A descriptor for the same output whose writes do not block. */
export function openUnblocked(fd: number): number {
  // Reading `process.stdout` makes a terminal blocking, so that Ctrl-S would hold this process; and another process on the
  // same pipe makes the pipe blocking when it exits. A newly opened device avoids both. A file would lose its position, and a
  // socket cannot be opened.
  if (!isatty(fd) && !fstatSync(fd).isFIFO()) return fd;
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return fd;
  }
}

let current: LogOutput | null = null;

function endCurrent(): void {
  current?.end();
}

function isCounted(cause: string): cause is keyof typeof total {
  return Object.hasOwn(total, cause);
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
