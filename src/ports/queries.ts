/** Runs an adapter's statements on its own tables in the shared database. */
export abstract class Queries {
  /**
   * Returns the rows as the driver reads them: bigint as string, timestamptz as Date. Throws StoreUnavailable when the
   * database is away or does not answer within `withinMs`; passes on the error of a faulty statement.
   */
  abstract query<Row>(sql: string, parameters?: readonly unknown[], withinMs?: number): Promise<Row[]>;
}
