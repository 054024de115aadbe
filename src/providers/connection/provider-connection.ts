import { validateHeaderValue } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { Axios, type AxiosRequestConfig } from 'axios';
import { buildConnector, Pool } from 'undici';

import { readInChunks } from '../../platform/bounded-reading/read-in-chunks.ts';
import type { readJson } from './parse-provider-json.ts';
import { readReply, unavailableAfter, type Reply } from './read-response.ts';
import { undiciAdapter } from './undici-adapter.ts';
import { USER_AGENT } from './user-agent.ts';

export interface ConnectionOptions {
  /** A path in it goes before each question's. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly auth: 'x-api-key' | 'bearer';
  /** From the request's start to the last byte of its answer. */
  readonly timeoutMs: number;
  readonly maxConcurrency: number;
}

export interface Question {
  readonly path: string;
  /** Sent as JSON by POST; without it the question is a GET. */
  readonly body?: object;
  /** Without it a payment's limit holds. */
  readonly maxAnswerBytes?: number;
  readonly read: typeof readJson;
}

/** The answers in flight end by their own deadline; past it and this, a socket hangs and is torn down. */
const CLOSING_GRACE_MS = 500;
/** Of an answer about one payment. */
const MAX_ANSWER_BYTES = 256 * 1024;
const WITH_JSON = { 'content-type': 'application/json' };

/** Kept-alive connections to one provider. Whatever the provider does is a reply, never an exception. */
export class Connection {
  private readonly pool: Pool;
  private readonly axios: Axios;
  private readonly origin: string;
  private readonly prefix: string;
  private closing: Promise<void> | null = null;

  constructor(private readonly options: ConnectionOptions) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.origin = origin;
    this.prefix = pathname.replace(/\/+$/, '');
    // Only the deadline counts: it covers what undici's own time-outs measure apart.
    this.pool = new Pool(origin, {
      connections: options.maxConcurrency,
      connect: connectorOf(options),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // Not axios.create(): its defaults would be merged, transformed and thrown away again at each request.
    this.axios = new Axios({
      adapter: undiciAdapter({
        pool: this.pool,
        headers: headersFor(options),
        timeoutMs: options.timeoutMs,
        maxAnswerBytes: MAX_ANSWER_BYTES,
      }),
    });
  }

  async ask(question: Question): Promise<Reply> {
    try {
      const response = await this.axios.request<Buffer>(this.requestFor(question));
      return readReply(response, question.read, new Date());
    } catch (error) {
      return unavailableAfter(error);
    }
  }

  /** Method and URL, for operators: the base URL holds no secret. */
  urlOf({ path, body }: Pick<Question, 'path' | 'body'>): string {
    return `${body === undefined ? 'GET' : 'POST'} ${this.origin}${this.prefix}${path}`;
  }

  /** As few members as can be: axios copies and merges each of them. */
  private requestFor({ path, body, maxAnswerBytes }: Question): AxiosRequestConfig {
    const request: AxiosRequestConfig = { url: this.prefix + path };
    if (maxAnswerBytes !== undefined) request.maxContentLength = maxAnswerBytes;
    if (body === undefined) return request;
    return { ...request, method: 'post', headers: WITH_JSON, data: JSON.stringify(body) };
  }

  /** Lets the requests in flight end, within their deadline at most; later ones are answered as unavailable. */
  close(withinMs: number = this.options.timeoutMs): Promise<void> {
    this.closing ??= this.closePool(Math.min(withinMs, this.options.timeoutMs));
    return this.closing;
  }

  private async closePool(withinMs: number): Promise<void> {
    const overdue = new AbortController();
    const overdueAt = sleep(withinMs + CLOSING_GRACE_MS, null, {
      ref: false,
      signal: overdue.signal,
    }).catch(() => null);
    await Promise.race([this.pool.close(), overdueAt]);
    overdue.abort();
    await this.pool.destroy();
  }
}

function connectorOf({ timeoutMs }: ConnectionOptions): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false });
  return (target, callback) =>
    connect(target, (...made) => {
      if (made[0] === null) readInChunks(made[1]);
      callback(...made);
    });
}

function headersFor({ apiKey, auth }: ConnectionOptions): Record<string, string> {
  const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': USER_AGENT };
  if (apiKey === null) return headers;
  const [name, value] = auth === 'bearer' ? ['authorization', `Bearer ${apiKey}`] : ['x-api-key', apiKey];
  // A key that no header can carry stops the start, not each request; the error names the header, not the key.
  validateHeaderValue(name, value);
  return { ...headers, [name]: value };
}
