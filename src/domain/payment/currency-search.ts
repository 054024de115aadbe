/** The spec's fields of a token search; Paybell passes them on unchanged. */
export interface CurrencySearch {
  readonly chainIds?: number[];
  readonly address?: string;
  readonly term?: string;
  readonly verified?: boolean;
  readonly limit?: number;
  readonly defaultList?: boolean;
  readonly includeAllChains?: boolean;
  readonly useExternalSearch?: boolean;
}
