/** The database server, and the schema on it. */
export interface DatabaseFacts {
  /** The server's version, such as `15.20`. */
  readonly serverVersion: string;
  /** The last migration of tables that the database has; null: none. */
  readonly migration: string | null;
  /** The newest release that has brought the schema up. */
  readonly schemaRelease: string;
  /** False: the database has other migrations than this release makes, as while another release runs beside it. */
  readonly isOwnSchema: boolean;
}

/** Which server and schema this process works with. */
export abstract class DatabaseVersion {
  abstract read(): Promise<DatabaseFacts>;
}
