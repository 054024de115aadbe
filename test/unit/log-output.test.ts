import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { droppedLines, LogOutput, openUnblocked, sayDropped } from '../../src/platform/process/log-output.ts';

/** A descriptor that takes a number of bytes, and then fails. */
class Descriptor {
  text = '';
  takes = Number.POSITIVE_INFINITY;
  code = 'ENOSPC';
  writes = 0;

  readonly write = (bytes: Buffer): number => {
    this.writes += 1;
    if (this.takes === 0) throw Object.assign(new Error('no'), { code: this.code });
    const taken = bytes.subarray(0, this.takes);
    this.takes -= taken.length;
    this.text += taken.toString();
    return taken.length;
  };
}

let descriptor: Descriptor;
let output: LogOutput;
const SINCE = '2026-11-20T12:00:00.000Z';

function write(...lines: string[]): (string | null)[] {
  return lines.map((line) => output.write(`${line}\n`));
}

function stop(code: string, takes = 0): void {
  Object.assign(descriptor, { code, takes });
}

function resume(): string {
  descriptor.takes = Number.POSITIVE_INFINITY;
  const { length } = descriptor.text;
  jest.advanceTimersByTime(100);
  return descriptor.text.slice(length);
}

beforeEach(() => {
  jest.useFakeTimers({ now: new Date(SINCE) });
  descriptor = new Descriptor();
  output = new LogOutput(descriptor.write, (dropped) => `${sayDropped(dropped)}\n`);
});

afterEach(() => {
  jest.useRealTimers();
});

const summary = (lines: string, cause: string): string =>
  `${lines} could not be written since ${SINCE}, and are lost: ${cause}\n`;

describe('the output of the log', () => {
  it.each(['ENOSPC', 'EIO', 'EPIPE', 'EDQUOT'])('drops and counts lines at %s, and says so once', (code) => {
    const counted = code === 'EDQUOT' ? 'other' : (code as 'EIO');
    const before = droppedLines()[counted];
    stop(code);
    expect(write('one', 'two', 'three')).toEqual([code, code, code]);
    expect(droppedLines()[counted] - before).toBe(3);
    expect(resume()).toBe(summary('3 lines', code));
    expect(write('four')).toEqual([null]);
    expect(descriptor.text).toBe(`${summary('3 lines', code)}four\n`);
  });

  it('says it before the next line, where that comes first', () => {
    stop('ENOSPC');
    write('one');
    descriptor.takes = Number.POSITIVE_INFINITY;
    write('two');
    expect(descriptor.text).toBe(`${summary('1 line', 'ENOSPC')}two\n`);
  });

  it('ends a line that was written in part before it writes another one', () => {
    stop('ENOSPC', 6);
    expect(write('abcdefgh', 'lost')).toEqual([null, 'ENOSPC']);
    expect(resume()).toBe(`gh\n${summary('1 line', 'ENOSPC')}`);
    stop('EIO', 10);
    write('one', 'two', 'three');
    expect(resume()).toBe(`ree\n`);
  });

  it('keeps the lines of a short pause of the reader, in order', () => {
    stop('EAGAIN', 2);
    expect(write('one', 'two', 'three')).toEqual([null, null, null]);
    jest.advanceTimersByTime(900);
    expect(resume()).toBe('e\ntwo\nthree\n');
  });

  it('drops lines that nobody reads for a second, and does not wait with later ones', () => {
    stop('EAGAIN');
    write('one', 'two');
    jest.advanceTimersByTime(1_200);
    expect(write('three')).toEqual(['EAGAIN']);
    expect(resume()).toMatch(/^3 lines could not be written since \S+, and are lost: EAGAIN\n$/);
  });

  it('keeps no more than a bound for a reader that pauses', () => {
    stop('EAGAIN');
    const answers = Array.from({ length: 300 }, () => output.write('x'.repeat(1_024)));
    expect(answers.filter((answer) => answer === null)).toHaveLength(256);
  });

  it('tries some times a second while it cannot write, and not at all once it can', () => {
    stop('ENOSPC');
    write('one');
    descriptor.writes = 0;
    jest.advanceTimersByTime(10_000);
    expect(descriptor.writes).toBeLessThanOrEqual(100);
    resume();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('waits at the end for a reader that pauses, but not for long', () => {
    jest.useRealTimers();
    stop('EAGAIN');
    write('one');
    const startedAt = performance.now();
    output.end();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

describe('the descriptor of the log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paybell-log-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const isBlocking = (fd: number): boolean => {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '';
    return (Number.parseInt(flags, 8) & constants.O_NONBLOCK) === 0;
  };

  it('of a pipe that other processes write to as well is one of its own, which never blocks', () => {
    const path = join(folder, 'pipe');
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
    const shared = openSync(path, constants.O_RDWR);
    const own = openUnblocked(shared);
    expect([isBlocking(shared), isBlocking(own)]).toEqual([true, false]);
    const fill = (): void => {
      for (;;) writeSync(own, 'x'.repeat(4_096));
    };
    expect(fill).toThrow(expect.objectContaining({ code: 'EAGAIN' }));
    for (const fd of [shared, own]) closeSync(fd);
  });

  it('of a file is the given one, which keeps its place', () => {
    const file = openSync(join(folder, 'file'), 'w');
    expect(openUnblocked(file)).toBe(file);
    closeSync(file);
  });
});
