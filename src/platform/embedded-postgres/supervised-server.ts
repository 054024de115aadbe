import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Binaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { EmbeddedPostgresFailed } from './embedded-failed.ts';
import { clearLeftoverServer } from './clear-leftover-server.ts';
import { Server } from './server.ts';

const HOST = '127.0.0.1';
const START_ATTEMPTS = 10;
const START_RETRY_MS = 500;
const RESTART_FROM_MS = 250;
const RESTART_UP_TO_MS = 10_000;
/**
 * A cause that passes: a server that just died, a concurrent start, or another program that took the port after it was
 * checked.
 */
const TRANSIENT_FAILURE =
  /postmaster\.pid|shared memory block|could not bind|could not create any TCP\/IP sockets/;
/**
 * A line of the server's log with a SQLSTATE and a message. Errors of statements count only if they are about resources, the
 * system or the server itself.
 */
const WORTH_LOGGING = /^([0-9A-Z]{5}) (?:(?:WARNING|FATAL|PANIC): |(?<=^(?:53|58|F0|XX)... )ERROR: )/;
/** A full disk fails every statement: one line for each SQLSTATE in this time is enough. */
const LOG_AGAIN_MS = 60_000;

/** The log lines for the operator; Nest's Logger implements it. */
export interface EmbeddedLog {
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface SupervisedServerOptions {
  readonly dataDir: string;
  readonly cluster: Cluster;
  readonly binaries: Binaries;
  readonly urlAt: (port: number) => string;
  readonly log: EmbeddedLog;
}

/** Runs a server process and restarts it on the same port whenever it ends by itself. */
export class SupervisedServer {
  private readonly stopping = new AbortController();
  private server: Server | null = null;
  private isServing = false;
  private watching: Promise<void> = Promise.resolve();
  /** By SQLSTATE. */
  private readonly loggedAtMs = new Map<string, number>();

  constructor(private readonly options: SupervisedServerOptions) {}

  /** Resolves to the server's port, which is `preferred` if that is free. */
  async start(preferred: number | null): Promise<number> {
    const { cluster } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      await this.clearLeftover();
      const port = await choosePort(preferred);
      const failure = await this.launch(port);
      if (failure === null) {
        this.watching = this.watch(port);
        return port;
      }
      if (this.stopping.signal.aborted) throw new EmbeddedPostgresFailed('it was stopped while it started');
      if (attempt >= START_ATTEMPTS || !TRANSIENT_FAILURE.test(failure))
        throw new EmbeddedPostgresFailed(`PostgreSQL does not start on ${cluster.dir}: ${failure}`);
      await sleep(START_RETRY_MS);
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.isServing = false;
    await this.server?.stop();
    await this.watching;
  }

  /** The signal of an exit handler: the server completes its shutdown after this process has exited. */
  signalStop(): void {
    this.server?.signalStop();
  }

  private clearLeftover(): Promise<void> {
    const { dataDir, cluster, urlAt, log } = this.options;
    return clearLeftoverServer({ dataDir, dir: cluster.dir, urlAt, warn: (message) => log.warn(message) });
  }

  /** Null when the server accepts connections; otherwise its last log lines. */
  private async launch(port: number): Promise<string | null> {
    const { cluster, binaries, urlAt } = this.options;
    const server = new Server(
      {
        launcher: cluster.launcher,
        program: binaries.postgres,
        dir: cluster.dir,
        port,
        adminUrl: urlAt(port),
      },
      (line) => this.logLine(line),
    );
    this.server = server;
    this.isServing = await server.isReady(this.stopping.signal);
    if (this.isServing) return null;
    await server.stop();
    return server.lastOutput;
  }

  private async watch(port: number): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.server?.ended;
      if (this.stopping.signal.aborted) return;
      this.isServing = false;
      this.options.log.error(`PostgreSQL ended by itself, starting it again: ${this.server?.lastOutput}`);
      await this.startAgain(port);
    }
  }

  /** Retries on the same port, which the database URL contains, until the server starts or is stopped. */
  private async startAgain(port: number): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted; failures += 1) {
      const failure = await this.tryAgain(port);
      if (failure === null) return this.options.log.log('PostgreSQL serves again');
      if (!signal.aborted && failures === 0) this.options.log.error(`PostgreSQL does not start: ${failure}`);
      const waitMs = Math.min(RESTART_FROM_MS * 2 ** failures, RESTART_UP_TO_MS);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async tryAgain(port: number): Promise<string | null> {
    try {
      await this.clearLeftover();
      return this.stopping.signal.aborted ? 'stopping' : await this.launch(port);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Leaves out the warnings of a server that starts or stops, which has one for each client that it refuses. */
  private logLine(line: string): void {
    const state = WORTH_LOGGING.exec(line)?.[1];
    if (!this.isServing || state === undefined) return;
    const loggedAtMs = this.loggedAtMs.get(state) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - loggedAtMs < LOG_AGAIN_MS) return;
    this.loggedAtMs.set(state, performance.now());
    this.options.log.warn(`PostgreSQL: ${line}`);
  }
}

/**
 * Returns `preferred` if that port is free, so that an operator's tools find the database where it was; otherwise any free
 * port.
 */
async function choosePort(preferred: number | null): Promise<number> {
  if (preferred !== null && (await listenOnce(preferred)) !== null) return preferred;
  const port = await listenOnce(0);
  if (port === null) throw new EmbeddedPostgresFailed(`no port is free on ${HOST}`);
  return port;
}

function listenOnce(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, HOST, () => {
      const { port: taken } = server.address() as AddressInfo;
      server.close(() => resolve(taken));
    });
  });
}
