/** Statements on the tables that an adapter has for itself in the database of all replicas. */
export abstract class Queries {
  /**
   * The rows as the driver reads them: bigint as string, timestamptz as Date. Throws StoreUnavailable when the database is away
   * or, if `withinMs` is given, has not answered by then; a faulty statement stays what it is.
   */
  abstract query<Row>(sql: string, parameters?: readonly unknown[], withinMs?: number): Promise<Row[]>;
}
