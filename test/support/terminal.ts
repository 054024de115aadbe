import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';

import { waitFor } from '../../tools/testkit/wait-for.ts';

const PASTED_WITHIN_MS = 90_000;

/** One shell into which the blocks of a page are pasted. Its programs end with it, even if the test does not end it. */
export class Terminal {
  /** The output of all programs, including those in the background. */
  output = '';
  private readonly shell: ChildProcessWithoutNullStreams;
  private readonly ended: Promise<unknown>;

  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    this.shell = spawn('bash', [], { cwd, env });
    this.ended = new Promise((resolve) => this.shell.once('close', resolve));
    this.shell.stdin.on('error', () => undefined);
    this.shell.stdout.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.shell.stdin.write(`exec 2>&1\ntrap 'kill $(jobs -p); wait' EXIT\n`);
  }

  /** The output until the last command ended. */
  async paste(code: string): Promise<string> {
    const before = this.output.length;
    const marker = randomUUID();
    this.shell.stdin.write(`{\n${code}\n} </dev/null\necho "${marker}"\n`);
    await this.whenPrinted(marker);
    const [printed = ''] = this.output.slice(before).split(marker);
    return printed;
  }

  async whenPrinted(words: string): Promise<void> {
    await waitFor(() => this.output.includes(words), { timeoutMs: PASTED_WITHIN_MS }).catch(() => {
      throw new Error(`“${words}” was not printed, but:\n${this.output}`);
    });
  }

  async close(): Promise<void> {
    this.shell.stdin.end();
    await this.ended;
  }
}
