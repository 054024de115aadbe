/** The times of polling that the provider's state names. */
export class ProviderSettings {
  constructor(
    readonly pollIntervalMs: number,
    readonly minGapMs: number,
  ) {}
}
