import type { Request, Response } from 'express';

import type { LongAnswer } from './answer-access.ts';

/** A stream of the state of one payment, for a client without an API key. */
export interface StateStream extends LongAnswer {
  readonly quoteId: string;
  /** The key by which streams are counted. */
  readonly client: string;
  /** The longest time that the stream lasts. */
  readonly lastsMs: number;
  /** The state as JSON on one line; null ends the stream. */
  readonly read: () => Promise<string | null>;
}

/** Server-Sent Events that show a payment's state instead of its events. */
export abstract class StateStreams {
  /**
   * Sends the state now and after each change. False: the payment does not exist. Throws for a client with too many streams.
   */
  abstract open(request: Request, response: Response, stream: StateStream): Promise<boolean>;
}
