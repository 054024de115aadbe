import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

import { afterAll } from '@jest/globals';

import { isPostgresOn, readPostmaster } from '../../src/platform/embedded-postgres/postmaster-pid.ts';
import { freePort } from './free-port.js';
import { waitFor } from './wait-for.ts';

const MAIN = resolve('dist/main.js');
const API_KEY = 'test-key-0123456789abcdef';
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 20_000;
const MAX_LINES = 5_000;

const started = new Set<AppProcess>();
afterAll(async () => {
  for (const app of started) await app.remove();
  started.clear();
});

/** The built application as a process of its own, on a free port. */
export class AppProcess {
  /** What it printed, stdout and stderr, line by line. */
  readonly lines: string[] = [];
  readonly apiKey = API_KEY;
  private readonly ended: Promise<number | NodeJS.Signals | null>;

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    readonly dataDir: string,
    private readonly isDataDirOurs: boolean,
  ) {
    for (const stream of [child.stdout, child.stderr]) this.readLines(stream);
    this.ended = new Promise((resolveEnded) => {
      child.once('error', (error) => {
        this.lines.push(error.message);
        resolveEnded(null);
      });
      child.once('close', (code, signal) => resolveEnded(code ?? signal));
    });
  }

  /** Only `env` and the essentials reach it, none of this shell's settings. Without DATA_DIR: a temporary one. */
  static async start(env: Record<string, string> = {}): Promise<AppProcess> {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run \`npm run build\` before the tests`);
    const port = env['PORT'] === undefined ? await freePort() : Number(env['PORT']);
    const dataDir = env['DATA_DIR'] ?? mkdtempSync(join(realpathSync(tmpdir()), 'paybell-app-'));
    const { PATH, HOME, TZ } = process.env;
    const child = spawn(process.execPath, [MAIN], {
      env: {
        PATH,
        HOME,
        TZ,
        API_KEYS: `test:${API_KEY}`,
        DATA_DIR: dataDir,
        ...(env['DATABASE_URL'] === undefined ? {} : { ENCRYPTION_KEY }),
        ...env,
        PORT: String(port),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const app = new AppProcess(child, port, dataDir, env['DATA_DIR'] === undefined);
    started.add(app);
    return app;
  }

  /** Started and answering on /health/ready. */
  static async startReady(env: Record<string, string> = {}): Promise<AppProcess> {
    const app = await AppProcess.start(env);
    await app.waitReady();
    return app;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async waitReady(timeoutMs = READY_TIMEOUT_MS): Promise<void> {
    await waitFor(async () => !this.isRunning || (await fetch(`${this.url}/health/ready`)).ok, {
      timeoutMs,
      everyMs: 50,
      what: `the application to be ready; it printed:\n${this.lines.join('\n')}\n`,
    });
    if (!this.isRunning) throw new Error(`the application ended at start:\n${this.lines.join('\n')}`);
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

  /** The exit status, or the signal that ended it, once it has ended by itself. */
  whenEnded(): Promise<number | NodeJS.Signals | null> {
    return this.ended;
  }

  /** SIGTERM; answers the exit status, or the signal that ended it. */
  async stop(): Promise<number | NodeJS.Signals | null> {
    this.child.kill('SIGTERM');
    const late = setTimeout(() => this.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    const status = await this.ended;
    clearTimeout(late);
    return status;
  }

  /** As a crash ends it. */
  async kill9(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Ends it with the PostgreSQL that it may have started, and removes its temporary folder. */
  async remove(): Promise<void> {
    await this.kill9();
    const left = readPostmaster(join(this.dataDir, 'postgres'));
    if (left !== null && isPostgresOn(join(this.dataDir, 'postgres'), left.pid))
      process.kill(left.pid, 'SIGQUIT');
    if (this.isDataDirOurs)
      rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  private readLines(stream: Readable | null): void {
    if (stream === null) return;
    createInterface({ input: stream }).on('line', (line) => {
      this.lines.push(line);
      if (this.lines.length > MAX_LINES) this.lines.shift();
    });
  }
}
