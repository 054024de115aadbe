import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

import { afterAll } from '@jest/globals';

import { waitFor } from '../../tools/testkit/wait-for.ts';

const STOP_TIMEOUT_MS = 10_000;

const started = new Set<ExampleProcess>();
afterAll(async () => {
  for (const example of started) await example.kill9();
  started.clear();
});

/** A program of `examples/`, or of the docs, as a process; a Node program gets the built `paybell-client`. */
export class ExampleProcess {
  output = '';
  private readonly ended: Promise<number | NodeJS.Signals | null>;

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.ended = new Promise((done) => child.once('close', (code, signal) => done(code ?? signal)));
  }

  /** Starts the program, and waits for the line by which it says that it is ready. */
  static async start(
    [program, ...args]: readonly [string, ...string[]],
    env: Record<string, string>,
    ready: string,
  ): Promise<ExampleProcess> {
    const name = args.at(-1) ?? program;
    const child = spawn(program, args, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const example = new ExampleProcess(child);
    started.add(example);
    const isReady = (): boolean => {
      if (child.exitCode !== null) throw new Error(`${name} ended`);
      return example.output.includes(ready);
    };
    await waitFor(isReady, { what: `${name} to say "${ready}"` }).catch((error: Error) => {
      throw new Error(`${error.message}; it printed:\n${example.output}`);
    });
    return example;
  }

  /** A program of `examples/` in Node. */
  static startNode(path: string, env: Record<string, string>, ready: string): Promise<ExampleProcess> {
    return ExampleProcess.start([process.execPath, resolve('examples', path)], env, ready);
  }

  /** Sends SIGTERM; returns the exit status, or the signal that ended the program. */
  async stop(): Promise<number | NodeJS.Signals | null> {
    this.child.kill('SIGTERM');
    const late = setTimeout(() => this.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    const status = await this.ended;
    clearTimeout(late);
    return status;
  }

  /** Ends it like a crash. */
  async kill9(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.ended;
  }
}
