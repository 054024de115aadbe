/** The times of polling for the provider's state. */
export class ProviderSettings {
  constructor(
    readonly pollIntervalMs: number,
    readonly minGapMs: number,
  ) {}
}
