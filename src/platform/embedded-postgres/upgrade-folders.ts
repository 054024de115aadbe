import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const PREFIX = 'postgres.upgrade-to-';
const MARKER = 'complete';

/** PostgreSQL's major version of the data in a folder; null where it holds none. */
export function majorIn(dir: string): string | null {
  const file = join(dir, 'PG_VERSION');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().slice(0, 10) : null;
}

/**
 * The folders of an upgrade of the embedded database's data, all in DATA_DIR: the data, the new data while it is made, and the
 * old data afterwards. The new data takes the place of the old by two renames, between which there is no `postgres`. A marker
 * beside the new data tells a later run that it is complete.
 */
export class UpgradeFolders {
  readonly data: string;
  /** A DATA_DIR of its own for the server of the new data. */
  readonly staging: string;

  constructor(
    private readonly dataDir: string,
    to: string,
  ) {
    this.data = join(dataDir, 'postgres');
    this.staging = join(dataDir, `${PREFIX}${to}`);
  }

  /** Where the old data stays. */
  kept(from: string): string {
    return join(this.dataDir, `postgres-${from}`);
  }

  /** The version of the old data where a run ended between the two renames; otherwise null. */
  get halfDoneFrom(): string | null {
    const from = readMarker(this.staging);
    const isMoved = from !== null && majorIn(this.data) === null && majorIn(this.kept(from)) !== null;
    return isMoved ? from : null;
  }

  /** What a run says about new data that it is going to make anew. */
  unmark(): void {
    rmSync(join(this.staging, MARKER), { force: true });
  }

  /** Puts the new data in the place of the old; goes on where a former call ended. */
  swap(from: string): void {
    if (majorIn(this.data) !== null) {
      writeFileSync(join(this.staging, MARKER), from, { mode: 0o600, flush: true });
      sync(this.staging);
      sync(this.dataDir);
      renameSync(this.data, this.kept(from));
    }
    renameSync(join(this.staging, 'postgres'), this.data);
    sync(this.dataDir);
    this.removeStaging();
  }

  removeStaging(): void {
    rmSync(this.staging, { recursive: true, force: true, maxRetries: 8, retryDelay: 100 });
  }
}

/** True where an upgrade was interrupted so late that DATA_DIR has no data until it goes on. */
export function isHalfUpgraded(dataDir: string): boolean {
  const names = readdirSync(dataDir).filter((name) => name.startsWith(PREFIX));
  return names.some((name) => new UpgradeFolders(dataDir, name.slice(PREFIX.length)).halfDoneFrom !== null);
}

function readMarker(staging: string): string | null {
  const path = join(staging, MARKER);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** So that a rename, or a new file, survives a loss of power. Windows opens no folders. */
function sync(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
