import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

import type { Queries } from '../../ports/queries.ts';
import { compareReleases } from './compare-releases.ts';

/** The current text of a function of the database: `CREATE OR REPLACE FUNCTION <name>…`. */
export interface FunctionText {
  readonly name: string;
  readonly text: string;
}

/** A row of `paybell_function`. */
interface AppliedFunction {
  readonly name: string;
  readonly checksum: string;
  readonly release: string;
}

const FOLDER = new URL('../functions/', import.meta.url);

/** Reads this release's functions: one file each, with the function's name. */
export function readFunctionTexts(folder: URL = FOLDER): FunctionText[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file) => ({
    name: file.slice(0, -'.sql'.length),
    text: readFileSync(new URL(file, folder), 'utf8'),
  }));
}

/**
 * Brings the functions of the database up to `release`, in the caller's transaction and under its lock; answers the names of
 * those that were written. A release older than the one that applied last changes nothing: its replicas run beside newer
 * ones. Functions that only the former release has stay, so that its replicas run on; those of earlier releases are dropped.
 * Throws when a function's parameters or result have changed: old replicas still call it.
 */
export async function applyFunctions(
  queries: Queries,
  release: string,
  texts: readonly FunctionText[],
): Promise<string[]> {
  const applied = await queries.query<AppliedFunction>(APPLIED);
  const releases = applied.map((row) => row.release).sort(compareReleases);
  if (compareReleases(releases.at(-1) ?? release, release) > 0) return [];
  // A function may call another function that is created after it.
  await queries.query('SET LOCAL check_function_bodies = off');
  const written = await writeTexts(queries, release, texts, applied);
  const former = releases.findLast((each) => compareReleases(each, release) < 0) ?? null;
  await dropOld(queries, texts, applied, former);
  await checkSignatures(queries, texts);
  return written;
}

async function writeTexts(
  queries: Queries,
  release: string,
  texts: readonly FunctionText[],
  applied: readonly AppliedFunction[],
): Promise<string[]> {
  const checksums = new Map(applied.map((row) => [row.name, row.checksum]));
  const written: string[] = [];
  for (const { name, text } of texts) {
    if (!text.includes(`CREATE OR REPLACE FUNCTION ${name}(`))
      throw new Error(`${name}.sql creates no ${name}().`);
    const checksum = createHash('sha256').update(text).digest('hex');
    if (checksums.get(name) !== checksum) {
      await queries.query(text);
      written.push(name);
    }
    await queries.query(NOTE, [name, checksum, release]);
  }
  return written;
}

async function dropOld(
  queries: Queries,
  texts: readonly FunctionText[],
  applied: readonly AppliedFunction[],
  former: string | null,
): Promise<void> {
  const current = new Set(texts.map(({ name }) => name));
  for (const { name, release } of applied) {
    if (current.has(name) || release === former) continue;
    await queries.query(`DROP FUNCTION IF EXISTS ${name}`);
    await queries.query(FORGET, [name]);
  }
}

/**
 * After a change of parameters, PostgreSQL would make a second function of the same name; after a change of the result, it
 * would refuse the function.
 */
async function checkSignatures(queries: Queries, texts: readonly FunctionText[]): Promise<void> {
  const names = texts.map(({ name }) => name);
  const [twice] = await queries.query<{ name: string }>(TWICE, [names]);
  if (twice === undefined) return;
  const { name } = twice;
  throw new Error(`The function ${name} has other parameters than before. Name the new one ${name}_v2.`);
}

const APPLIED = `SELECT name, checksum, release FROM paybell_function`;

const NOTE = `
  INSERT INTO paybell_function (name, checksum, release) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, release = excluded.release
  WHERE (paybell_function.checksum, paybell_function.release) <> (excluded.checksum, excluded.release)`;

const FORGET = `DELETE FROM paybell_function WHERE name = $1`;

const TWICE = `
  SELECT proname AS name FROM pg_proc
  WHERE pronamespace = current_schema()::regnamespace AND proname = ANY ($1::text[])
  GROUP BY proname HAVING count(*) > 1`;
