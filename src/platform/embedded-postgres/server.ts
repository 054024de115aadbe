import { connectAs } from './owner-lock.ts';
import type { Launcher, Program } from './launcher.ts';

const START_TIMEOUT_MS = 120_000;
const READY_EVERY_MS = 50;
const FAST_SHUTDOWN_MS = 6_000;
const IMMEDIATE_SHUTDOWN_MS = 2_000;
const KEPT_LINES = 20;
const MAX_LINE = 1_000;
/** Modest settings for a small machine; fsync and full_page_writes stay on. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '128MB',
  // Enough for the largest DATABASE_POOL_SIZE and the connections outside the pool.
  max_connections: '220',
  max_parallel_workers_per_gather: '0',
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The SQLSTATE, by which the supervisor selects lines for the operator.
  log_line_prefix: '%e ',
  log_checkpoints: 'off',
  // Keep statements and their values out of the log: they may hold secrets.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

export interface ServerOptions {
  readonly launcher: Launcher;
  readonly program: string;
  readonly dir: string;
  readonly port: number;
  readonly adminUrl: string;
}

/** One run of the PostgreSQL server process. */
export class Server {
  private readonly process: Program;
  private readonly lastLines: string[] = [];
  private rest = '';
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<void>;
  private isEnded = false;

  constructor(
    private readonly options: ServerOptions,
    private readonly onLine: (line: string) => void,
  ) {
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.process = options.launcher.start(options.program, [
      '-D',
      options.dir,
      '-p',
      `${options.port}`,
      ...settings,
    ]);
    for (const stream of [this.process.stdout, this.process.stderr])
      stream.on('data', (text) => this.read(String(text)));
    this.process.once('error', (error) => this.keepLine(error.message));
    this.ended = new Promise((resolve) => {
      this.process.once('close', () => {
        this.isEnded = true;
        resolve();
      });
    });
  }

  /** Resolves to true when the server accepts connections; to false when it ends, is stopping or is too slow. */
  async isReady(stopping: AbortSignal): Promise<boolean> {
    const giveUpAt = performance.now() + START_TIMEOUT_MS;
    while (!this.isEnded && !stopping.aborted && performance.now() < giveUpAt) {
      const client = await connectAs(this.options.adminUrl).catch((error: Error) => this.explain(error));
      // If the process is dead, another server has answered on this port.
      if (client !== null) {
        await client.end().catch(() => undefined);
        return !this.isEnded;
      }
      await Promise.race([this.ended, new Promise((resolve) => setTimeout(resolve, READY_EVERY_MS))]);
    }
    return false;
  }

  /** The last log lines, for an error's message. */
  get lastOutput(): string {
    return this.lastLines.join('\n').trim() || 'it logged nothing';
  }

  /** Requests a fast shutdown, which rolls back open transactions and flushes; sends stronger signals if it takes too long. */
  async stop(): Promise<void> {
    for (const [signal, waitMs] of [
      ['SIGINT', FAST_SHUTDOWN_MS],
      ['SIGQUIT', IMMEDIATE_SHUTDOWN_MS],
    ] as const) {
      this.process.kill(signal);
      if (await this.endsWithin(waitMs)) return;
    }
    this.process.kill('SIGKILL');
    await this.endsWithin(IMMEDIATE_SHUTDOWN_MS);
  }

  /** The signal of an exit handler: the server completes its shutdown after this process has exited. */
  signalStop(): void {
    if (!this.isEnded) this.process.kill('SIGINT');
  }

  private async endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
    await Promise.race([this.ended, late]);
    clearTimeout(timer);
    return this.isEnded;
  }

  private explain(error: Error): null {
    if (/password authentication failed/.test(error.message)) this.keepLine(error.message);
    return null;
  }

  private read(text: string): void {
    const lines = `${this.rest}${text}`.split('\n');
    this.rest = (lines.pop() ?? '').slice(-MAX_LINE);
    for (const line of lines) {
      this.keepLine(line);
      this.onLine(line.slice(0, MAX_LINE));
    }
  }

  private keepLine(line: string): void {
    this.lastLines.push(line.slice(0, MAX_LINE));
    if (this.lastLines.length > KEPT_LINES) this.lastLines.shift();
  }
}
