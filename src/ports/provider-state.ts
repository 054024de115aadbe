/** How far the provider's list of changes was read, which finds what polls have missed. */
export interface ReconcileState {
  /** Null before the first run. */
  readonly reconciledTo: Date | null;
  readonly nextAt: Date;
}

/** What the replicas share about the provider beside its rate limit. */
export abstract class SharedProviderState {
  /** When the circuit came to its present state; null: unknown. */
  abstract circuitSince(): Promise<Date | null>;
  /** Null for a provider without such a list. */
  abstract reconcile(): Promise<ReconcileState | null>;
}
