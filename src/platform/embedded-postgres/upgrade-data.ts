import { resolve } from 'node:path';

import { findBinaries } from './binaries.ts';
import { carryOver } from './carry-over.ts';
import { asEmbeddedFailure, EmbeddedPostgresFailed } from './embedded-failed.ts';
import { EmbeddedPostgres } from './embedded-postgres.ts';
import { findInstalled } from './installed-programs.ts';
import type { EmbeddedLog } from './supervised-server.ts';
import { majorIn, UpgradeFolders } from './upgrade-folders.ts';

export interface UpgradeOptions {
  readonly dataDir: string;
  /** The folder with the programs of the data's version; null: in the usual places. */
  readonly fromBin: string | null;
  readonly log: EmbeddedLog;
}

/** The versions before and after, and where the old data is; `from` null: the data was of this version before. */
export interface Upgraded {
  readonly from: string | null;
  readonly to: string;
  readonly kept: string;
}

/**
 * Brings the embedded database's data to the version of PostgreSQL that this Paybell brings. The old data stays in place until
 * the new is complete, and beside it afterwards: a run that is killed changes nothing, or is finished by the next one. Throws
 * DataDirInUse while a Paybell runs on it, and EmbeddedPostgresFailed with a message to print.
 */
export async function upgradeData({ dataDir, fromBin, log }: UpgradeOptions): Promise<Upgraded> {
  const to = findBinaries().major;
  if (to === null) throw new EmbeddedPostgresFailed('the version of its programs is not known');
  const folders = new UpgradeFolders(resolve(dataDir), to);
  try {
    const half = folders.halfDoneFrom;
    if (half !== null) {
      folders.swap(half);
      return { from: half, to, kept: folders.kept(half) };
    }
    const from = majorIn(folders.data);
    if (from === to) {
      folders.removeStaging();
      return { from: null, to, kept: folders.kept(to) };
    }
    await upgrade(folders, checked(from, to, folders), { dataDir, fromBin, log });
    return { from, to, kept: folders.kept(from ?? '') };
  } catch (error) {
    throw asEmbeddedFailure(error);
  }
}

function checked(from: string | null, to: string, folders: UpgradeFolders): string {
  if (from === null) throw new EmbeddedPostgresFailed(`there is no data in ${folders.data}`, 'Set DATA_DIR.');
  if (!(Number(from) < Number(to)))
    throw new EmbeddedPostgresFailed(
      `the data in ${folders.data} is of PostgreSQL ${from}, and this Paybell brings PostgreSQL ${to}`,
      'No data goes back to an older version: start the Paybell that made it.',
    );
  if (majorIn(folders.kept(from)) !== null)
    throw new EmbeddedPostgresFailed(
      `${folders.kept(from)} has the data that a former upgrade has kept`,
      'Delete that folder, or move it away, and repeat this command.',
    );
  return from;
}

async function upgrade(
  folders: UpgradeFolders,
  from: string,
  { dataDir, fromBin, log }: UpgradeOptions,
): Promise<void> {
  const programs = await findInstalled(from, fromBin);
  const old = new EmbeddedPostgres({ dataDir, log, binaries: programs });
  const fresh = new EmbeddedPostgres({ dataDir: folders.staging, log });
  try {
    const oldUrl = await old.start();
    folders.unmark();
    await fresh.start();
    // An interrupted run may have left a part there, or all of it as it was then.
    const freshUrl = await fresh.emptyDatabase();
    const rows = await carryOver(
      programs,
      { url: oldUrl, adminUrl: old.adminUrl },
      { url: freshUrl, adminUrl: fresh.adminUrl },
    );
    const [payments, events] = [rows.get('payment') ?? 0, rows.get('event_entry') ?? 0];
    log.log(`${payments} payments and ${events} events are in the new data`);
  } finally {
    await fresh.stop();
    await old.stop();
  }
  folders.swap(from);
}
