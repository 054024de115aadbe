import 'reflect-metadata';

import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { type DynamicModule, Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';

import type { Config } from '../../config/config.ts';
import { DataDirInUse, EmbeddedPostgresFailed } from '../embedded-postgres/embedded-failed.ts';
import { StartRefused } from '../../ports/readiness.ts';
import type { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import { OpenConnections } from '../http/open-connections.ts';
import { createApp } from './create-app.ts';
import { keptEncryptionKey, KeyFileFailed } from './encryption-key.ts';
import { closeApp, GracefulStop } from './graceful-stop.ts';
import { missingPackage } from './load-program.ts';
import { StructuredLogger, standardOutput } from './logging.ts';
import { STOP_SIGNALS } from './signals.ts';
import { VERSION } from '../version.ts';

/** A hanging database must not keep the embedded server, or the process, from ending in time. */
const CLOSE_WITHIN_MS = 8_700;
const CLOSE_FAILED_WITHIN_MS = 9_700;
const INIT_WITHIN_MS = 500;

/** The errors whose messages explain the fault and the remedy. */
const REPORTED = [EmbeddedPostgresFailed, DataDirInUse, KeyFileFailed, StartRefused] as const;

const LISTEN_FAILURES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; set PORT to a free one',
  EACCES: 'this user may not listen there; set PORT to one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address; set HOST to one it has',
};

const log = new Logger('Paybell');
const ignore = (): void => undefined;

/** Set once the application exists, so that a stop in the middle of the start closes everything that was opened. */
let created: { readonly app: NestExpressApplication; readonly connections: OpenConnections } | null = null;
let embedded: EmbeddedPostgres | null = null;

/** The service's root module. */
interface RootModule {
  with(config: Config, databaseUrls: readonly string[], encryptionKey: Buffer): Promise<DynamicModule>;
}

async function start(
  root: RootModule,
  config: Config,
  logger: StructuredLogger,
  closing: AbortSignal,
): Promise<void> {
  for (const warning of config.warnings) log.warn(warning);
  const databaseUrls = config.databaseUrls ?? [await startEmbedded(config)];
  const encryptionKey = config.encryptionKey ?? keptEncryptionKey(config.dataDir);
  const app = await createApp(await root.with(config, databaseUrls, encryptionKey), config, logger);
  created = { app, connections: new OpenConnections(app.getHttpServer()) };
  if (closing.aborted) return;
  await app.init();
  if (closing.aborted) return;
  await listen(app.getHttpServer(), config);
  const port = portOf(app);
  log.log(`Paybell ${VERSION} listening on ${urlOf(config.host, port)}`);
  const dashboardUrl = config.dashboardUrl(port);
  log.log(
    dashboardUrl === null
      ? 'no dashboard: DASHBOARD is false, or ROLES has no api'
      : `the dashboard is at ${dashboardUrl}`,
  );
}

/** Nest's own listen would log a failure before throwing it. */
async function listen(server: Server, { port, host }: Config): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

async function startEmbedded({ dataDir }: Config): Promise<string> {
  const { EmbeddedPostgres } = await import('../embedded-postgres/embedded-postgres.ts');
  embedded = new EmbeddedPostgres({ dataDir, log: new Logger('Embedded PostgreSQL') });
  return embedded.start();
}

async function closeAll(): Promise<void> {
  if (created !== null) {
    const closing = closeApp(created.app, created.connections);
    await Promise.race([closing, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }
  await embedded?.stop();
}

function portOf(app: NestExpressApplication): number {
  const address = app.getHttpServer().address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Runs the service until a signal ends the process. */
export async function serve(config: Config, root: RootModule): Promise<void> {
  const logger = new StructuredLogger(config.logLevel, await standardOutput());
  Logger.overrideLogger(logger);
  // Node's own listener prints plain text, not lines of the log.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn(`${name}: ${message}`));
  // The log writes to the descriptor itself; an error event of these streams would end the process.
  for (const stream of [process.stdout, process.stderr]) stream.off('error', ignore).on('error', ignore);
  const closing = new AbortController();
  const starting = start(root, config, logger, closing.signal);
  const close = async (): Promise<void> => {
    closing.abort();
    const started = starting.catch(() => undefined);
    // The first try at a hanging database would otherwise take most of the time for a stop.
    await (created === null
      ? started
      : Promise.race([started, sleep(INIT_WITHIN_MS, undefined, { ref: false })]));
    await closeAll();
  };
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      if (error instanceof StartRefused) {
        void end(error.message, close);
        return;
      }
      log.fatal({ msg: `${event}: stopping`, err: error });
      process.exit(1);
    });
  }
  const stop = new GracefulStop(close, (code) => process.exit(code));
  for (const signal of STOP_SIGNALS) process.on(signal, () => void stop.onSignal(signal));
  try {
    await starting;
  } catch (error) {
    await end(startFailure(error, config) ?? { msg: 'Paybell cannot start', err: error }, close);
  }
}

/** Ends the process after a failed start. */
async function end(lastWord: unknown, close: () => Promise<void>): Promise<never> {
  log.fatal(lastWord);
  Logger.overrideLogger(false);
  await Promise.race([close().catch(() => undefined), sleep(CLOSE_FAILED_WITHIN_MS)]);
  return process.exit(1);
}

/** One sentence for a start that failed because of its environment; null for a fault of Paybell's own. */
function startFailure(error: unknown, { host, port }: Config): string | null {
  if (REPORTED.some((kind) => error instanceof kind)) return (error as Error).message;
  const missing = missingPackage(error);
  if (missing !== null) return `Paybell cannot be loaded: ${missing}`;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'getaddrinfo')
    return `Paybell cannot listen on ${host}: this name is not known here; set HOST to an address of this machine`;
  if (syscall !== 'listen') return null;
  return `Paybell cannot listen on ${host}:${port}: ${LISTEN_FAILURES[code ?? ''] ?? code}`;
}
