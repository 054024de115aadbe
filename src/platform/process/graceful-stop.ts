import type { Server } from 'node:http';

import { Logger } from '@nestjs/common';

import type { OpenConnections } from '../http/open-connections.ts';

const CUT_CONNECTIONS_AFTER_MS = 8_000;
/** Docker and others commonly kill a service 10 s after they asked it to stop. */
export const GIVE_UP_AFTER_MS = 9_700;
const CLOSE_UNUSED_EVERY_MS = 100;

interface Closable {
  getHttpServer(): Server;
  close(): Promise<void>;
}

/**
 * Stops the process gracefully on the first signal, and at once on the second, unless that is SIGHUP. Work that does not
 * finish in time is abandoned: its leases in the database expire, and another replica or the next start claims it.
 */
export class GracefulStop {
  private readonly log = new Logger(GracefulStop.name);
  private isStopping = false;

  constructor(
    private readonly close: () => Promise<void>,
    private readonly exit: (code: number) => void,
    private readonly giveUpAfterMs: number = GIVE_UP_AFTER_MS,
  ) {}

  async onSignal(signal: string): Promise<void> {
    if (this.isStopping) {
      // A closing terminal sends SIGHUP more than once, and systemd may send it after SIGTERM.
      if (signal === 'SIGHUP') return;
      this.log.warn(`${signal} again: stopping at once`);
      return this.exit(1);
    }
    this.isStopping = true;
    this.log.log(`${signal}: finishing the work in flight`);
    const timer = setTimeout(() => {
      this.log.warn(
        `some work did not finish within ${this.giveUpAfterMs} ms: it is claimed again once its leases expire`,
      );
      this.exit(0);
    }, this.giveUpAfterMs);
    const code = await this.finish();
    clearTimeout(timer);
    this.exit(code);
  }

  private async finish(): Promise<number> {
    try {
      await this.close();
      this.log.log('stopped');
      return 0;
    } catch (error) {
      this.log.error({ msg: 'stopping failed', err: error });
      return 1;
    }
  }
}

/** Accepts no more connections, waits for the requests and loops in flight, then closes the application. */
export async function closeApp(
  app: Closable,
  connections: OpenConnections,
  cutAfterMs: number = CUT_CONNECTIONS_AFTER_MS,
): Promise<void> {
  const server = app.getHttpServer();
  server.close();
  connections.closeUnused();
  // Without this timer, a connection without a request would stay open for its keep-alive time, or until it is cut.
  const closeUnused = setInterval(() => {
    server.closeIdleConnections();
    connections.closeUnused();
  }, CLOSE_UNUSED_EVERY_MS);
  const cut = setTimeout(() => server.closeAllConnections(), cutAfterMs);
  try {
    await app.close();
  } finally {
    clearInterval(closeUnused);
    clearTimeout(cut);
  }
}
