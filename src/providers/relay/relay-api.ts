import type { Clock } from '../../ports/clock.ts';
import { Connection } from '../connection/provider-connection.ts';
import { parseLongJson } from '../connection/parse-provider-json.ts';
import { parseRelayAnswer, type RelayAnswer } from './parse-relay-answer.ts';

export type { RelayAnswer } from './parse-relay-answer.ts';

export interface RelayApiOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  readonly maxConcurrency: number;
}

/** The longest response, the list of chains, had about 300 KiB in 2026. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** Sends requests with our key to Relay's API. Every failure of Relay is a RelayAnswer, never an exception. */
export class RelayApi {
  private readonly connection: Connection;
  private readonly apiKey: string;

  constructor({ baseUrl, apiKey, timeoutMs, maxConcurrency }: RelayApiOptions, clock?: Clock) {
    const options = { baseUrl, apiKey, auth: 'x-api-key', timeoutMs, maxConcurrency } as const;
    this.connection = new Connection(options, clock);
    this.apiKey = apiKey;
  }

  /** `path` begins with a slash and includes the query. `onSent` is called when the request is sent. */
  async get(path: string, maxResponseBytes = MAX_RESPONSE_BYTES, onSent?: () => void): Promise<RelayAnswer> {
    const request = { path, maxResponseBytes, parse: parseLongJson, isUrgent: false, onSent };
    return parseRelayAnswer(await this.connection.send(request), this.apiKey);
  }

  /** Goes before polls, because an API client waits for the quote or the search. Never retries. */
  async post(path: string, body: object, maxResponseBytes = MAX_RESPONSE_BYTES): Promise<RelayAnswer> {
    const request = { path, body, maxResponseBytes, parse: parseLongJson, isUrgent: true };
    return parseRelayAnswer(await this.connection.send(request), this.apiKey);
  }

  /** Waits for the requests in flight, until their deadline at most; later requests resolve as unavailable. */
  close(withinMs?: number): Promise<void> {
    return this.connection.close(withinMs);
  }
}
