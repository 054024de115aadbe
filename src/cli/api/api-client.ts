import { Agent, fetch, type Response } from 'undici';

import type {
  AnswerOf,
  Asked,
  components,
  Method,
  Operation,
  PathsWith,
} from '../../../web/src/api/schema.d.ts';
import { VERSION } from '../../platform/version.ts';
import { CommandError } from '../output/exit-status.ts';
import { Patience } from './patience.ts';
import { problemOf, Unreachable } from './problem.ts';

export type Schemas = components['schemas'];

/** An answer with its text, which is printed as JSON digit for digit. */
export interface Answered<Data> {
  readonly status: number;
  readonly text: string;
  readonly data: Data;
}

export interface Sent {
  readonly method?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | undefined;
}

/** An answer is given up after this time of silence; a stream has a comment every 15 s. */
const TIMEOUT_MS = 60_000;

/** Calls the API of a running Paybell, typed by its OpenAPI document. Throws ApiProblem and Unreachable. */
export class ApiClient {
  private readonly agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });

  constructor(
    readonly url: string,
    private readonly key: string,
    private readonly signal: AbortSignal,
  ) {
    // Not the signal of fetch, which garbage collection may remove from a running request.
    signal.addEventListener('abort', () => void this.agent.destroy(), { once: true });
  }

  async call<M extends Method, Path extends PathsWith<M>>(
    method: M,
    path: Path,
    asked: Asked<Operation<Path, M>> = {},
  ): Promise<Answered<AnswerOf<Operation<Path, M>>>> {
    const body = asked.body === undefined ? undefined : JSON.stringify(asked.body);
    return this.send(filled(path, asked.path ?? {}) + queryText(asked.query ?? {}), {
      method: method.toUpperCase(),
      body,
    });
  }

  /** Tries again while Paybell asks for patience (429, 503), for at most this long. */
  async callPatiently<M extends Method, Path extends PathsWith<M>>(
    patienceMs: number,
    ...[method, path, asked]: Parameters<typeof this.call<M, Path>>
  ): Promise<Answered<AnswerOf<Operation<Path, M>>>> {
    const patience = new Patience({ busyMs: patienceMs, awayMs: 0, newKeyMs: 0 }, this.signal);
    return patience.call(() => this.call(method, path, asked));
  }

  async send<Data>(path: string, sent: Sent): Promise<Answered<Data>> {
    const response = await this.open(path, sent);
    const { status } = response;
    const text = await this.answered(response.text());
    if (text === '' && sent.method === 'DELETE') return { status, text, data: undefined as Data };
    try {
      return { status, text, data: JSON.parse(text) as Data };
    } catch (cause) {
      throw new CommandError(
        `${this.url} does not answer as Paybell does: is PAYBELL_URL right?`,
        undefined,
        {
          cause,
        },
      );
    }
  }

  /** The answer to a request, as soon as its head has arrived. Refuses redirects, which would take the key elsewhere. */
  async open(path: string, { method = 'GET', accept, headers, body }: Sent = {}): Promise<Response> {
    this.signal.throwIfAborted();
    const init = {
      method,
      redirect: 'error',
      dispatcher: this.agent,
      headers: {
        'x-api-key': this.key,
        'user-agent': `paybell/${VERSION}`,
        accept: accept ?? 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    } as const;
    const request = fetch(`${this.url}${path}`, body === undefined ? init : { ...init, body });
    const response = await this.answered(request);
    if (!response.ok) throw await problemOf(response, this.url);
    return response;
  }

  private async answered<Result>(answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      this.signal.throwIfAborted();
      throw new Unreachable(this.url, error);
    }
  }
}

function filled(path: string, names: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(names[name] ?? ''));
}

type QueryValue = string | number | boolean | undefined | readonly string[];

/** `?a=1&b=2&b=3`; leaves out absent values. */
export function queryText(query: object): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, QueryValue][]) {
    for (const one of [value].flat()) if (one !== undefined) params.append(name, String(one));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
