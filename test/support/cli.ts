import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { afterEach } from '@jest/globals';

import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

export const CLI = join(import.meta.dirname, '../../dist/cli/paybell.js');

export interface CliEnding {
  /** The exit status, or the signal that ended it. */
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Env = Readonly<Record<string, string>>;

const started = new Set<CliProcess>();
afterEach(async () => {
  for (const cli of started) await cli.stop('SIGKILL');
  started.clear();
});

/** The built command line while it runs. */
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
      timeoutMs: 20_000,
      what: `${String(pattern)} in what the command prints`,
    });
  }

  async whenEnded(): Promise<CliEnding> {
    const code = await this.ended;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  stop(signal: NodeJS.Signals): Promise<CliEnding> {
    this.child.kill(signal);
    return this.whenEnded();
  }
}

/** What the command line needs to ask this Paybell. */
export function asking(app: PaybellService, apiKey = app.apiKey): Record<string, string> {
  return { PAYBELL_URL: app.url, PAYBELL_API_KEY: apiKey };
}

/** Runs the built command line to its end. */
export function runCli(words: readonly string[], env: Env, input = ''): Promise<CliEnding> {
  return new CliProcess(words, env, input).whenEnded();
}
