import type { Request, Response } from 'express';

import type { LongAnswer } from './answer-access.ts';

/** A stream of the state of one payment, for a client without an API key. */
export interface StateStream extends LongAnswer {
  readonly quoteId: string;
  /** By which streams are counted. */
  readonly client: string;
  /** The time after which it ends, if not before. */
  readonly lastsMs: number;
  /** The state as JSON on one line; null ends the stream. */
  readonly read: () => Promise<string | null>;
}

/** Server-Sent Events that show a state in place of the events that lead to it. */
export abstract class StateStreams {
  /** Sends the state now and after each change. False: there is no such payment. Throws for a client that has too many. */
  abstract open(request: Request, response: Response, stream: StateStream): Promise<boolean>;
}
