import type { Config } from '../../config/config.ts';
import { upgradeData } from '../../platform/embedded-postgres/upgrade-data.ts';

/**
 * Brings the embedded database to this Paybell's version of PostgreSQL; `fromBin` has the programs of the old version.
 * Returns the text to print; throws an Error with a message to print.
 */
export async function runUpgrade(
  fromBin: string | null,
  { databaseUrls, dataDir }: Config,
  print: (text: string) => void,
): Promise<string> {
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
