import type { Config } from '../config/config.ts';
import { upgradeData } from '../platform/embedded-postgres/upgrade-data.ts';
import { UsageError } from './usage-error.ts';

/**
 * Brings the embedded database to this Paybell's version of PostgreSQL: `[--from-bin DIR]`. Returns the text to print; throws
 * UsageError, or an Error with a message to print.
 */
export async function runUpgrade(
  words: readonly string[],
  { databaseUrls, dataDir }: Config,
  print: (text: string) => void,
): Promise<string> {
  const [flag, fromBin = null, ...rest] = words;
  if (rest.length > 0 || (flag !== undefined && (flag !== '--from-bin' || fromBin === null)))
    throw new UsageError();
  if (databaseUrls !== null)
    throw new Error('DATABASE_URL is set: its PostgreSQL is upgraded by its own means, such as pg_upgrade.');
  const line = (text: string): void => print(`${text}\n`);
  const log = { log: line, warn: line, error: line };
  const { from, to, kept } = await upgradeData({ dataDir, fromBin, log });
  if (from === null) return `The data in ${dataDir} is of PostgreSQL ${to} already: nothing is to be done.\n`;
  return (
    `The data in ${dataDir} is of PostgreSQL ${to} now: start Paybell.\n` +
    `That of PostgreSQL ${from} is in ${kept}: delete it once all is well.\n`
  );
}
