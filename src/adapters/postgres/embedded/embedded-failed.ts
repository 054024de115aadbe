const WAYS_OUT = 'Set DATABASE_URL to a PostgreSQL of your own, or DATA_DIR to another folder.';

/** The embedded PostgreSQL cannot run here; the message says why and what to do. */
export class EmbeddedPostgresFailed extends Error {
  constructor(why: string, waysOut: string = WAYS_OUT) {
    super(`The embedded PostgreSQL cannot run: ${why}. ${waysOut}`);
  }
}

/** Another running Paybell holds this data folder. */
export class DataDirInUse extends Error {
  constructor(dataDir: string) {
    super(
      `DATA_DIR ${dataDir} is in use by another running Paybell. ` +
        'Stop that one, give this one another DATA_DIR, or give both one PostgreSQL with DATABASE_URL.',
    );
  }
}
