import { Connection } from '../connection/provider-connection.ts';
import { readLongJson } from '../connection/parse-provider-json.ts';
import { Slots } from '../connection/request-slots.ts';
import { readRelayAnswer, type RelayAnswer } from './parse-relay-answer.ts';

export type { RelayAnswer } from './parse-relay-answer.ts';

export interface RelayApiOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  readonly maxConcurrency: number;
}

/** Of the list of chains, the longest answer there is: about 300 KiB in 2026. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Relay's API with our key. Whatever Relay does is an answer, never an exception. */
export class RelayApi {
  private readonly connection: Connection;
  private readonly slots: Slots;
  private readonly apiKey: string;

  constructor({ baseUrl, apiKey, timeoutMs, maxConcurrency }: RelayApiOptions) {
    this.connection = new Connection({ baseUrl, apiKey, auth: 'x-api-key', timeoutMs, maxConcurrency });
    this.slots = new Slots(maxConcurrency);
    this.apiKey = apiKey;
  }

  /** `path` begins with a slash and holds its query. */
  async get(path: string, maxAnswerBytes: number = MAX_ANSWER_BYTES): Promise<RelayAnswer> {
    const question = { path, maxAnswerBytes, read: readLongJson };
    return readRelayAnswer(await this.slots.run(false, () => this.connection.ask(question)), this.apiKey);
  }

  /** Goes before what polls: somebody waits for a quote or a search. Never sent twice. */
  async post(path: string, body: object, maxAnswerBytes: number = MAX_ANSWER_BYTES): Promise<RelayAnswer> {
    const question = { path, body, maxAnswerBytes, read: readLongJson };
    return readRelayAnswer(await this.slots.run(true, () => this.connection.ask(question)), this.apiKey);
  }

  /** Lets the requests in flight end, within their deadline at most; later ones are answered as unavailable. */
  close(withinMs?: number): Promise<void> {
    return this.connection.close(withinMs);
  }
}
