import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import type { Config } from '../../config/config.ts';
import { wordsOf } from '../output/exit-status.ts';
import { ADVICE } from './advice.ts';
import type { Findings } from './findings.ts';

const GB = 1_024 ** 3;
const FREE_GB = 1;
const FREE_PART = 0.05;

/** The embedded database and generated secrets are in DATA_DIR; a server of DATABASE_URL has a disk of its own. */
export async function examineDisk(
  { dataDir, databaseUrls, encryptionKey }: Config,
  findings: Findings,
): Promise<void> {
  if (databaseUrls !== null && encryptionKey !== null)
    return findings.off(
      'disk',
      'not used: DATABASE_URL and ENCRYPTION_KEY are set; watch the disk of PostgreSQL',
    );
  try {
    const folder = await existing(resolve(dataDir));
    await access(folder, constants.R_OK | constants.W_OK);
    const { bavail, blocks, bsize } = await statfs(folder);
    const freeGb = (bavail * bsize) / GB;
    const detail = `${freeGb.toFixed(1)} GB free for ${resolve(dataDir)}`;
    if (freeGb < FREE_GB || bavail < FREE_PART * blocks) findings.warning('disk', detail, ADVICE.full);
    else findings.ok('disk', detail);
  } catch (error) {
    findings.wrong('disk', wordsOf(error), ADVICE.dataDir);
  }
}

/** The folder itself, or its closest existing parent: the first start creates the rest. */
async function existing(folder: string): Promise<string> {
  try {
    await stat(folder);
    return folder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return existing(dirname(folder));
  }
}
