import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { afterEach } from '@jest/globals';

import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { leaveProcess, takeProcess } from './in-turn-pool.ts';

export const CLI = join(import.meta.dirname, '../../dist/cli/paybell.js');
/** The mark that commands-in-turn.js writes on both streams after a command. */
const ENDED = /\u0000ended (\d+)\n$/;
const IN_TURN = fileURLToPath(new URL('commands-in-turn.js', import.meta.url));

export interface CliEnding {
  /** The exit status, or the signal that ended the command. */
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Env = Readonly<Record<string, string>>;

const started = new Set<CliProcess>();
const running = new Set<ReturnType<typeof takeProcess>>();
afterEach(async () => {
  for (const cli of started) await cli.stop('SIGKILL');
  started.clear();
  for (const child of running) child.kill('SIGKILL');
});

/** The built command line while it runs, as a process of its own, which gets signals and options of Node. */
export class CliProcess {
  stdout = '';
  stderr = '';
  private readonly child;
  private readonly ended: Promise<CliEnding['code']>;

  constructor(words: readonly string[], env: Env, input = '') {
    this.child = spawn(process.execPath, [CLI, ...words], { env: { PATH: process.env['PATH'], ...env } });
    this.child.stdout.setEncoding('utf8').on('data', (part: string) => (this.stdout += part));
    this.child.stderr.setEncoding('utf8').on('data', (part: string) => (this.stderr += part));
    this.child.stdin.on('error', () => undefined).end(input);
    this.ended = new Promise((resolve) =>
      this.child.once('close', (code, signal) => resolve(code ?? signal)),
    );
    started.add(this);
  }

  get lines(): string[] {
    return this.stdout.split('\n').slice(0, -1);
  }

  whenPrinted(pattern: RegExp): Promise<unknown> {
    return waitFor(() => pattern.test(this.stdout + this.stderr), {
      what: `${String(pattern)} in what the command prints`,
    });
  }

  async whenEnded(): Promise<CliEnding> {
    const code = await this.ended;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  stop(signal: NodeJS.Signals): Promise<CliEnding> {
    this.signal(signal);
    return this.whenEnded();
  }
}

/** The environment in which the command line uses this Paybell. */
export function asking(app: PaybellService, apiKey = app.apiKey): Record<string, string> {
  return { PAYBELL_URL: app.url, PAYBELL_API_KEY: apiKey };
}

/**
 * Runs a command to its end, in a process that runs many commands: loading the program takes nearly all of a command's
 * processor time.
 */
export async function runCli(words: readonly string[], env: Env, input = ''): Promise<CliEnding> {
  const child = takeProcess(IN_TURN);
  running.add(child);
  const [stdout, stderr] = [new Printed(child.stdout), new Printed(child.stderr)];
  child.stdin.write(`${JSON.stringify({ words, env: { PATH: process.env['PATH'], ...env }, input })}\n`);
  const ended = new Promise<CliEnding['code']>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
    void Promise.all([stdout.status, stderr.status]).then(([status]) => resolve(status));
  });
  const code = await ended;
  running.delete(child);
  for (const printed of [stdout, stderr]) printed.release();
  leaveProcess(IN_TURN, child);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** A command's output on one stream, up to the mark of its end. */
class Printed {
  text = '';
  readonly status: Promise<number>;
  private settle!: (status: number) => void;

  constructor(private readonly stream: Readable) {
    this.status = new Promise((resolve) => (this.settle = resolve));
    stream.setEncoding('utf8').on('data', this.add);
  }

  release(): void {
    this.stream.off('data', this.add);
  }

  private readonly add = (part: string): void => {
    this.text += part;
    const mark = ENDED.exec(this.text);
    if (mark === null) return;
    this.text = this.text.slice(0, mark.index);
    this.settle(Number(mark[1]));
  };
}
