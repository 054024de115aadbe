import { connectAs } from './owner-lock.ts';
import type { Launcher, Program } from './launcher.ts';

const START_TIMEOUT_MS = 120_000;
const READY_EVERY_MS = 50;
const FAST_SHUTDOWN_MS = 6_000;
const IMMEDIATE_SHUTDOWN_MS = 2_000;
const KEPT_LINES = 20;
const MAX_LINE = 1_000;
/** Modest, for a small machine; fsync and full_page_writes stay on. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '128MB',
  // The largest DATABASE_POOL_SIZE, and what connects beside the pool.
  max_connections: '220',
  max_parallel_workers_per_gather: '0',
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '',
  log_checkpoints: 'off',
  // Statements and their values stay out of the log: they may hold secrets.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

export interface ServerPlace {
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
  /** Resolves when the process has ended, however. */
  readonly ended: Promise<void>;
  private isEnded = false;

  constructor(
    private readonly place: ServerPlace,
    private readonly onLine: (line: string) => void,
  ) {
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.process = place.launcher.start(place.program, ['-D', place.dir, '-p', `${place.port}`, ...settings]);
    for (const stream of [this.process.stdout, this.process.stderr])
      stream.on('data', (text) => this.read(String(text)));
    this.process.once('error', (error) => this.keep(error.message));
    this.ended = new Promise((resolve) => {
      this.process.once('close', () => {
        this.isEnded = true;
        resolve();
      });
    });
  }

  /** Resolves to true when it accepts connections, to false if it ended or was to stop before. */
  async isReady(stopping: AbortSignal): Promise<boolean> {
    const giveUpAt = Date.now() + START_TIMEOUT_MS;
    while (!this.isEnded && !stopping.aborted && Date.now() < giveUpAt) {
      const client = await connectAs(this.place.adminUrl).catch((error: Error) => this.explain(error));
      // The port may be another server's: it is ours only while our process lives.
      if (client !== null) {
        await client.end().catch(() => undefined);
        return !this.isEnded;
      }
      await Promise.race([this.ended, new Promise((resolve) => setTimeout(resolve, READY_EVERY_MS))]);
    }
    return false;
  }

  /** What it said last, for an error's message. */
  get lastWords(): string {
    return this.lastLines.join('\n').trim() || 'it said nothing';
  }

  /** Fast shutdown, which rolls open transactions back and flushes; harder if it takes too long. */
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

  /** For an exit handler: it shuts down by itself after we are gone. */
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
    if (/password authentication failed/.test(error.message)) this.keep(error.message);
    return null;
  }

  private read(text: string): void {
    const lines = `${this.rest}${text}`.split('\n');
    this.rest = (lines.pop() ?? '').slice(-MAX_LINE);
    for (const line of lines) {
      this.keep(line);
      this.onLine(line.slice(0, MAX_LINE));
    }
  }

  private keep(line: string): void {
    this.lastLines.push(line.slice(0, MAX_LINE));
    if (this.lastLines.length > KEPT_LINES) this.lastLines.shift();
  }
}
