import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll } from '@jest/globals';

import { isPostgresOn, readPostmaster } from '../../src/platform/embedded-postgres/postmaster-pid.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { MAIN, PaybellProcess } from '../../tools/testkit/paybell-process.ts';
import { makeDataFolder } from '../../tools/testkit/data-folder.ts';

export const API_KEY = 'test-key-0123456789abcdef';
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

/** The settings of a test's service, unless the test says otherwise. */
export function settingsIn(dataDir: string, env: Readonly<Record<string, string>>): Record<string, string> {
  return {
    API_KEYS: `test:${API_KEY}`,
    DATA_DIR: dataDir,
    ...(env['DATABASE_URL'] === undefined ? {} : { ENCRYPTION_KEY }),
    ...env,
  };
}

/** A folder with the server that a killed process may have left. */
export function removeDataDir(dataDir: string): void {
  endLeftServer(dataDir);
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function endLeftServer(dataDir: string): void {
  const left = readPostmaster(join(dataDir, 'postgres'));
  if (left !== null && isPostgresOn(join(dataDir, 'postgres'), left.pid)) process.kill(left.pid, 'SIGQUIT');
}

const started = new Set<AppProcess>();
afterAll(async () => {
  for (const app of started) await app.remove();
  started.clear();
});

/** The built application on a free port, removed with the test file. */
export class AppProcess extends PaybellProcess {
  private constructor(
    port: number,
    env: Record<string, string>,
    readonly dataDir: string,
    private readonly isDataDirOurs: boolean,
  ) {
    super({ port, apiKey: API_KEY, env });
  }

  /** Starts without DATA_DIR in a temporary folder. */
  static async start(env: Record<string, string> = {}): Promise<AppProcess> {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run \`npm run build\` before the tests`);
    const port = env['PORT'] === undefined ? await freePort() : Number(env['PORT']);
    const dataDir = env['DATA_DIR'] ?? makeDataFolder();
    const settings = settingsIn(dataDir, env);
    const app = new AppProcess(port, settings, dataDir, env['DATA_DIR'] === undefined);
    started.add(app);
    return app;
  }

  /** Started and answering on /health/ready. */
  static async startReady(env: Record<string, string> = {}): Promise<AppProcess> {
    const app = await AppProcess.start(env);
    await app.waitReady();
    return app;
  }

  /** Ends the process with the PostgreSQL that it may have started, and removes its temporary folder. */
  async remove(): Promise<void> {
    await this.kill9();
    if (this.isDataDirOurs) removeDataDir(this.dataDir);
    else endLeftServer(this.dataDir);
  }
}
