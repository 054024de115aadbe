import type { Server } from 'node:http';

import { Logger } from '@nestjs/common';

const CUT_CONNECTIONS_AFTER_MS = 8_000;
/** Whoever stops services commonly kills after 10 s. */
const GIVE_UP_AFTER_MS = 9_700;
const IDLE_SWEEP_MS = 100;

interface Closable {
  getHttpServer(): Server;
  close(): Promise<void>;
}

/**
 * Ends the process in order on the first signal and at once on the second. What does not end in time is left: it stands in
 * the database, and whoever runs next takes it over.
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
      this.log.warn(`${signal} again: stopping at once`);
      return this.exit(1);
    }
    this.isStopping = true;
    this.log.log(`${signal}: finishing what is in flight`);
    const timer = setTimeout(() => {
      this.log.warn(
        `not all was finished within ${this.giveUpAfterMs} ms: the rest is taken over at the next start`,
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

/** Takes no more connections from now on, lets the requests and loops in flight end, then closes everything. */
export async function closeApp(app: Closable, cutAfterMs: number = CUT_CONNECTIONS_AFTER_MS): Promise<void> {
  const server = app.getHttpServer();
  server.close();
  // A connection that has answered its last request would stay open for its keep-alive time.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), cutAfterMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}
