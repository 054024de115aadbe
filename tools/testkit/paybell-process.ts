import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { waitFor } from './wait-for.ts';

/** `npm run build` makes it; this file may be in tools/ or, compiled, in build/tools/. */
const ROOT = import.meta.url.replace(/(?:build\/)?tools\/testkit\/[^/]*$/, '');
export const MAIN = fileURLToPath(`${ROOT}dist/main.js`);
const READY_WITHIN_MS = 90_000;
const ASK_EVERY_MS = 50;
export const STOP_WITHIN_MS = 20_000;
const MAX_LINES = 5_000;
/** The variables of this environment that a process needs; none of them configures Paybell. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'];

/** The exit status, or the signal that ended the process; null: it could not be started. */
export type Ending = number | NodeJS.Signals | null;

export interface PaybellOptions {
  readonly port: number;
  readonly apiKey: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The program of another build than that of `npm run build`. */
  readonly main?: string;
  /** A command that starts the rest of its arguments, and is replaced by that program. */
  readonly startWith?: readonly string[];
  /** The whole command, in place of this Node and `main`. */
  readonly command?: readonly string[];
  /** Options of Node itself. */
  readonly nodeArgs?: readonly string[];
  /** A file descriptor for the log, instead of `lines`. */
  readonly logTo?: number;
  /** True: a process group of its own, so that Ctrl-C does not reach the process. */
  readonly isDetached?: boolean;
  /** After this time `stop` kills the process. */
  readonly stopWithinMs?: number;
}

/** A running service, in any process. */
export abstract class PaybellService {
  /** The latest output of the service, stdout and stderr, by lines. */
  readonly lines: string[] = [];

  protected constructor(
    readonly port: number,
    readonly apiKey: string,
  ) {}

  abstract get isRunning(): boolean;

  abstract whenEnded(): Promise<Ending>;

  /** SIGTERM; returns how it ended. */
  abstract stop(): Promise<Ending>;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Waits until `/health/ready` answers 200, or `isReady` accepts its answer. */
  async waitReady(timeoutMs = READY_WITHIN_MS, isReady = isOk): Promise<void> {
    let said = '';
    const ask = async (): Promise<boolean> => {
      if (!this.isRunning) return true;
      const answer = await fetch(`${this.url}/health/ready`);
      said = await answer.clone().text();
      return isReady(answer);
    };
    await waitFor(ask, { timeoutMs, everyMs: ASK_EVERY_MS, what: 'Paybell to be ready' }).catch(
      (error: unknown) => {
        throw new Error(
          `${String(error)}\n/health/ready last answered: ${said}\nit printed:\n${this.lines.join('\n')}`,
        );
      },
    );
    if (!this.isRunning) throw new Error(`Paybell ended at its start:\n${this.lines.join('\n')}`);
  }

  /** A request with the API key; a body that is no string is sent as JSON. */
  fetch(path: string, init: Omit<RequestInit, 'body'> & { body?: unknown } = {}): Promise<Response> {
    const { body, headers, ...rest } = init;
    const sent = new Headers(headers);
    if (!sent.has('x-api-key') && !sent.has('authorization')) sent.set('x-api-key', this.apiKey);
    if (body !== undefined && !sent.has('content-type')) sent.set('content-type', 'application/json');
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return fetch(`${this.url}${path}`, {
      ...rest,
      headers: sent,
      ...(text === undefined ? {} : { body: text }),
    });
  }

  protected keep(line: string): void {
    this.lines.push(line);
    if (this.lines.length > MAX_LINES) this.lines.shift();
  }
}

/** The built service as a process of its own. Of this environment it inherits only the essentials. */
export class PaybellProcess extends PaybellService {
  private readonly child: ChildProcess;
  private readonly ending: Promise<Ending>;

  constructor(private readonly options: PaybellOptions) {
    super(options.port, options.apiKey);
    const { port, env, cwd, main = MAIN, nodeArgs = [], logTo = 'pipe' } = options;
    const { isDetached = false, startWith = [] } = options;
    const inherited = INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    });
    const [command = '', ...args] = options.command ?? startWith.concat(process.execPath, nodeArgs, main);
    this.child = spawn(command, args, {
      env: { ...Object.fromEntries(inherited), ...env, PORT: String(port) },
      stdio: ['ignore', logTo, logTo],
      detached: isDetached,
      ...(cwd !== undefined && { cwd }),
    });
    for (const stream of [this.child.stdout, this.child.stderr]) this.readLines(stream);
    this.ending = new Promise((resolve) => {
      this.child.once('error', (error) => {
        this.lines.push(error.message);
        resolve(null);
      });
      this.child.once('close', (code, signal) => resolve(code ?? signal));
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  override get isRunning(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  override whenEnded(): Promise<Ending> {
    return this.ending;
  }

  override async stop(): Promise<Ending> {
    this.child.kill('SIGTERM');
    const late = setTimeout(() => this.kill(), this.options.stopWithinMs ?? STOP_WITHIN_MS);
    const ending = await this.ending;
    clearTimeout(late);
    return ending;
  }

  /** Ends it like a crash. */
  async kill9(): Promise<void> {
    this.kill();
    await this.ending;
  }

  /** Ends the process at once; if it is detached, with every process that it started. */
  kill(): void {
    if (!this.isRunning) return;
    try {
      process.kill(this.options.isDetached === true ? -this.pid : this.pid, 'SIGKILL');
    } catch {
      this.child.kill('SIGKILL');
    }
  }

  private readLines(stream: Readable | null): void {
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.keep(line));
  }
}

async function isOk(answer: Response): Promise<boolean> {
  await answer.body?.cancel();
  return answer.ok;
}
