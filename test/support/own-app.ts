import { once } from 'node:events';

import { afterAll } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';

import { AppModule } from '../../src/app.module.ts';
import { OpenConnections } from '../../src/platform/http/open-connections.ts';
import { createApp } from '../../src/platform/process/create-app.ts';
import { closeApp } from '../../src/platform/process/graceful-stop.ts';
import { StructuredLogger } from '../../src/platform/process/logging.ts';
import { makeDataFolder } from '../../tools/testkit/data-folder.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { type Ending, PaybellService } from '../../tools/testkit/paybell-process.ts';
import { API_KEY, removeDataDir, settingsIn } from './app-process.ts';
import { configOf } from './config-of.ts';

const opened = new Set<OwnApp>();
afterAll(async () => {
  await Promise.all([...opened].map((app) => app.stop()));
});

/** The whole application in the test's own process, on a real database, for tests that need no separate process. */
export class OwnApp extends PaybellService {
  override isRunning = true;

  private constructor(
    port: number,
    private readonly dataDir: string,
    private readonly close: () => Promise<void>,
  ) {
    super(port, API_KEY);
    opened.add(this);
  }

  static async startReady(env: Readonly<Record<string, string>>): Promise<OwnApp> {
    const [port, dataDir] = [await freePort(), makeDataFolder()];
    const settings = { ...settingsIn(dataDir, env), PORT: String(port) };
    const config = configOf(settings);
    const { databaseUrls, encryptionKey } = config;
    if (databaseUrls === null || encryptionKey === null) throw new Error('DATABASE_URL is not set');
    const lines: string[] = [];
    const logger = new StructuredLogger(config.logLevel, { write: (line) => void lines.push(line) });
    const app = await createApp(await AppModule.with(config, databaseUrls, encryptionKey), config, logger);
    const own = new OwnApp(port, dataDir, () => closing(app));
    await app.init();
    const server = app.getHttpServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    await own.waitReady();
    return own;
  }

  override whenEnded(): Promise<Ending> {
    return this.stop();
  }

  override async stop(): Promise<Ending> {
    if (!opened.delete(this)) return 0;
    this.isRunning = false;
    await this.close();
    removeDataDir(this.dataDir);
    return 0;
  }
}

async function closing(app: NestExpressApplication): Promise<void> {
  await closeApp(app, new OpenConnections(app.getHttpServer()));
}
