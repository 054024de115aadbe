/** A message of the track queue, as it came. */
export interface TrackRequest {
  readonly body: Uint8Array;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
}

/** What a track message came to. */
export type TrackOutcome =
  /** Committed; `isNew` is false for a quote that was tracked already. */
  | { readonly kind: 'taken'; readonly isNew: boolean }
  /** It will never do: it can't be read, is not valid, or names a quote that the provider does not know or that was removed. */
  | { readonly kind: 'rejected'; readonly code: string; readonly reason: string }
  /** The database or the provider is away: it is to wait, and the try is not counted. */
  | { readonly kind: 'held'; readonly reason: string; readonly retryInMs: number | null };

/** Takes quotes in that internal services hand over by message. */
export abstract class TrackRequests {
  /** Does what `POST /api/payments` does, any number of times. Throws only what nobody expects. */
  abstract take(request: TrackRequest): Promise<TrackOutcome>;
}

/** The queue that gets the messages which can never be taken. */
export function rejectedQueueOf(trackQueue: string): string {
  return `${trackQueue}.rejected`;
}
