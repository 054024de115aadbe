/** A table in which a provider keeps data of its quotes, one row for each `quote_id`. */
export interface QuoteTable {
  readonly name: string;
  /**
   * The column with the provider's own id of the quote, in lower case, by which a search finds its payment; null: there is
   * none.
   */
  readonly searchedBy: string | null;
}

/** The tables of all providers, configured or not: the database searches them, and removes their rows with the payment. */
export class QuoteTables {
  readonly all: readonly QuoteTable[];

  /** Several providers may share a table. */
  constructor(registered: readonly QuoteTable[]) {
    this.all = [...new Map(registered.map((table) => [table.name, table])).values()];
  }
}
