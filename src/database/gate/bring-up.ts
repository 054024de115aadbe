import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';

import { VERSION } from '../../platform/version.ts';
import { loggedWords } from '../connection/failure-words.ts';
import { buildIndexes, IndexMissing } from './build-indexes.ts';
import { migrate } from './migrate.ts';

const REMIND_EVERY_MS = 30_000;
const BUILD_AGAIN_MS = 60_000;

/** Migrates the database, and logs what was done and why it waits. */
export async function bringUp(options: DataSourceOptions, log: Logger, signal: AbortSignal): Promise<void> {
  await withPatience(options, async (source) => {
    const { migrations, functions } = await migrate(source, undefined, { onWait: waitLog(log), signal });
    for (const name of migrations) log.log(`the schema was brought up to ${name}`);
    if (functions.length > 0) log.log(`the functions of the database were brought up to ${VERSION}`);
  });
}

/**
 * Builds missing indexes while the service runs. A stop does not wait for it: the next start builds those that are missing.
 */
export async function addIndexes(
  options: DataSourceOptions,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal, ref: false });
  while (!signal.aborted) {
    try {
      const built = await withPatience(options, (source) => buildIndexes(source, pause));
      if (built.length > 0) log.log(`built the indexes ${built.join(', ')}`);
      return;
    } catch (error) {
      if (signal.aborted) return;
      log.warn(
        error instanceof IndexMissing
          ? `${error.message}, building it again: ${loggedWords(error.cause)}`
          : `the indexes could not be compared, trying again: ${loggedWords(error)}`,
      );
      await pause(BUILD_AGAIN_MS).catch(() => undefined);
    }
  }
}

/** Uses a connection of its own, which may lead past a pooler. */
async function withPatience<Result>(
  options: DataSourceOptions,
  work: (source: DataSource) => Promise<Result>,
): Promise<Result> {
  const source = await new DataSource(options).initialize();
  try {
    return await work(source);
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
