/** Why our side ended a request; all other codes are the network's or undici's. */
export type ExchangeLimit = 'DEADLINE_PASSED' | 'RESPONSE_TOO_LARGE' | 'TOO_MANY_CHUNKS' | 'TOO_MANY_HEADERS';

/** A request that got no usable response. */
export class ExchangeError extends Error {
  constructor(
    readonly code: ExchangeLimit | (string & {}),
    /** The response's status, if its head had arrived. */
    readonly status?: number,
  ) {
    super(code);
  }
}
