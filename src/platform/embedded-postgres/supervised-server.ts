import { setTimeout as sleep } from 'node:timers/promises';

import type { Binaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { EmbeddedPostgresFailed } from './embedded-failed.ts';
import { choosePort } from './free-port.ts';
import { clearLeftover } from './leftover.ts';
import { Server } from './server.ts';

const START_ATTEMPTS = 10;
const START_RETRY_MS = 500;
const RESTART_FROM_MS = 250;
const RESTART_UP_TO_MS = 10_000;
/** Remains of a server that just died, a start beside ours, or a port that was taken between the look and the use. */
const PASSING_FAILURE =
  /postmaster\.pid|shared memory block|could not bind|could not create any TCP\/IP sockets/;
const WORTH_LOGGING = /^(WARNING|FATAL|PANIC): /;

/** What is told to the operator; Nest's Logger fits. */
export interface EmbeddedLog {
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface ServerNeeds {
  readonly dataDir: string;
  readonly cluster: Cluster;
  readonly binaries: Binaries;
  readonly urlAt: (port: number) => string;
  readonly log: EmbeddedLog;
}

/** A server process that is started again on its port whenever it ends by itself. */
export class SupervisedServer {
  private readonly stopping = new AbortController();
  private server: Server | null = null;
  private isServing = false;
  private watching: Promise<void> = Promise.resolve();

  constructor(private readonly needs: ServerNeeds) {}

  /** Answers the port it listens on, `preferred` if that is free. */
  async start(preferred: number | null): Promise<number> {
    const { cluster } = this.needs;
    for (let attempt = 1; ; attempt += 1) {
      await this.clearTheWay();
      const port = await choosePort(preferred);
      const failure = await this.launch(port);
      if (failure === null) {
        this.watching = this.watch(port);
        return port;
      }
      if (this.stopping.signal.aborted) throw new EmbeddedPostgresFailed('it was stopped while it started');
      if (attempt >= START_ATTEMPTS || !PASSING_FAILURE.test(failure))
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

  /** For an exit handler. */
  signalStop(): void {
    this.server?.signalStop();
  }

  private clearTheWay(): Promise<void> {
    const { dataDir, cluster, urlAt, log } = this.needs;
    return clearLeftover({ dataDir, dir: cluster.dir, urlAt, warn: (message) => log.warn(message) });
  }

  /** Null when it serves, else its last words. */
  private async launch(port: number): Promise<string | null> {
    const { cluster, binaries, urlAt } = this.needs;
    const server = new Server(
      {
        launcher: cluster.launcher,
        program: binaries.postgres,
        dir: cluster.dir,
        port,
        adminUrl: urlAt(port),
      },
      (line) => this.notify(line),
    );
    this.server = server;
    this.isServing = await server.isReady(this.stopping.signal);
    if (this.isServing) return null;
    await server.stop();
    return server.lastWords;
  }

  private async watch(port: number): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.server?.ended;
      if (this.stopping.signal.aborted) return;
      this.isServing = false;
      this.needs.log.error(`PostgreSQL ended by itself, starting it again: ${this.server?.lastWords}`);
      await this.startAgain(port);
    }
  }

  /** On the same port, which the rest of the service knows, however long that takes. */
  private async startAgain(port: number): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted; failures += 1) {
      const failure = await this.tryAgain(port);
      if (failure === null) return this.needs.log.log('PostgreSQL serves again');
      if (!signal.aborted && failures === 0) this.needs.log.error(`PostgreSQL does not start: ${failure}`);
      const waitMs = Math.min(RESTART_FROM_MS * 2 ** failures, RESTART_UP_TO_MS);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async tryAgain(port: number): Promise<string | null> {
    try {
      await this.clearTheWay();
      return this.stopping.signal.aborted ? 'stopping' : await this.launch(port);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** While it starts and stops it turns clients away, which is no news. */
  private notify(line: string): void {
    if (this.isServing && WORTH_LOGGING.test(line)) this.needs.log.warn(`PostgreSQL: ${line}`);
  }
}
