/** A message of the track queue as it was received. */
export interface TrackRequest {
  readonly body: Uint8Array;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  /** The header as received, with any value. */
  readonly traceparent: unknown;
}

/** The outcome of a track message. */
export type TrackOutcome =
  /** The payment is stored; `isNew` is false for a quote that was tracked already. */
  | { readonly kind: 'taken'; readonly isNew: boolean }
  /** A retry would not help: the message is unreadable or invalid, or names an unknown or removed quote. */
  | { readonly kind: 'rejected'; readonly code: string; readonly reason: string }
  /** The database or the provider is away: the message waits, and the try does not count. */
  | { readonly kind: 'held'; readonly reason: string; readonly retryInMs: number | null };

/** Tracks the quotes that internal services send by message. */
export abstract class TrackRequests {
  /** Does the same as `POST /api/payments`, and may be repeated. Throws only unexpected errors. */
  abstract takeRequest(request: TrackRequest): Promise<TrackOutcome>;
}

/** The name of the queue for rejected messages. */
export function rejectedQueueOf(trackQueue: string): string {
  return `${trackQueue}.rejected`;
}
