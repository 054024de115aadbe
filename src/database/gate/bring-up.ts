import type { Logger } from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';

import { VERSION } from '../../platform/version.ts';
import { migrate } from './migrate.ts';

const REMIND_EVERY_MS = 30_000;

/**
 * Migrates the database, and logs what was done and why it waits. Uses a connection of its own, which may lead past a pooler.
 */
export async function bringUp(options: DataSourceOptions, log: Logger, signal: AbortSignal): Promise<void> {
  const source = await new DataSource(options).initialize();
  try {
    const { migrations, functions } = await migrate(source, undefined, { onWait: waitLog(log), signal });
    for (const name of migrations) log.log(`the schema was brought up to ${name}`);
    if (functions.length > 0) log.log(`the functions of the database were brought up to ${VERSION}`);
  } finally {
    await source.destroy();
  }
}

function waitLog(log: Logger): () => void {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - loggedAtMs < REMIND_EVERY_MS) return;
    loggedAtMs = performance.now();
    log.log('waiting for another replica, which is migrating the database');
  };
}
