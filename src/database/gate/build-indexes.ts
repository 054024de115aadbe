import type { DataSource } from 'typeorm';

import { LARGE_INDEXES, type LargeIndex } from '../schema/indexes.ts';

/** Replicas that start together build each index once: within this time, the others see that it is being built. */
const OTHERS_BUILD_MS = 500;

/** An index is missing, and building it failed for the reason in `cause`. */
export class IndexMissing extends Error {
  constructor(name: string, options: ErrorOptions) {
    super(`the index ${name} is missing`, options);
  }
}

/**
 * Builds missing indexes, one after another, without locks that would block recording; answers their names. An interrupted
 * build leaves an invalid index, which is dropped and built again. Throws IndexMissing.
 */
export async function buildIndexes(
  source: DataSource,
  pause: (ms: number) => Promise<unknown>,
  indexes: readonly LargeIndex[] = LARGE_INDEXES,
): Promise<string[]> {
  const built: string[] = [];
  for (const index of indexes) {
    for (let state = await stateOf(source, index); state !== 'valid'; state = await stateOf(source, index)) {
      if (state === 'building') {
        await pause(OTHERS_BUILD_MS);
        continue;
      }
      await build(source, index, state === 'invalid');
      built.push(index.name);
    }
  }
  return [...new Set(built)];
}

async function build(
  source: DataSource,
  { name, definition }: LargeIndex,
  isInvalid: boolean,
): Promise<void> {
  try {
    if (isInvalid) await source.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await source.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ${definition}`);
  } catch (cause) {
    throw new IndexMissing(name, { cause });
  }
}

async function stateOf(source: DataSource, { name }: LargeIndex): Promise<string> {
  const [row] = await source.query<{ state: string }[]>(STATE, [name]);
  return row?.state ?? 'missing';
}

const STATE = `
  SELECT CASE WHEN x.indisvalid THEN 'valid' WHEN EXISTS (
      SELECT 1 FROM pg_stat_progress_create_index b WHERE b.index_relid = x.indexrelid) THEN 'building'
    ELSE 'invalid' END AS state
  FROM pg_index x WHERE x.indexrelid = to_regclass($1)`;
