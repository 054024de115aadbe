import { isUtf8 } from 'node:buffer';

import { exceededBound } from '../../domain/text/json-bounds.ts';
import type { RpcConnection } from '../rpc/rpc-connection.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';

/** A page of transactions with many inputs each is the longest answer. */
const BOUNDS = { depth: 16, values: 200_000 };
const AGAIN_MS = 15_000;
const REFUSED_AGAIN_MS = 300_000;
const MOST_OF_AN_ERROR = 1_000;
const OK = 200;
/** With these statuses an interface says that an object does not exist; a gateway also uses them for other refusals. */
const ABSENT: ReadonlySet<number> = new Set([400, 404]);
const TOO_LONG = /too many (?:history entries|transactions|txs|utxos)/i;
const NOT_THERE =
  /(?:transaction|block)\b[^<]{0,200}\bnot found|no such (?:mempool|transaction)|block height out of range/i;

/** A parsed answer with its text: parsing could drop digits of an amount. */
export interface JsonAnswer {
  readonly value: unknown;
  readonly text: string;
}

/** GET requests to an HTTP interface, below the path of its URL and with the URL's query. */
export class HttpApi {
  private readonly place: string;
  private readonly query: string;

  constructor(
    private readonly connection: RpcConnection,
    /** The end of a URL's path that each request has again. */
    ownEnd = /\/?$/,
  ) {
    const { pathname, search } = new URL(connection.path, 'http://path.invalid');
    this.place = pathname.replace(ownEnd, '');
    this.query = search.slice(1);
  }

  /** A plain text; null: the thing is not there. */
  async getText(path: string): Promise<string | null> {
    return (await this.get(path, ''))?.trim() ?? null;
  }

  /** Null: the thing is not there. */
  async getJson(path: string, query = ''): Promise<JsonAnswer | null> {
    const text = await this.get(path, query);
    if (text === null) return null;
    try {
      return { value: JSON.parse(text), text };
    } catch {
      throw this.unreadable(path);
    }
  }

  /** The answer has not the form of the interface. */
  unreadable(path: string): RpcTrouble {
    const [, what = ''] = path.split('/');
    return new RpcTrouble('rpc_error', `answers an unreadable result to /${what}`, AGAIN_MS);
  }

  /** The server is not away: it answers other questions. */
  private tooLong(message: string): RpcTrouble {
    this.connection.answered();
    return new RpcTrouble('rpc_error', message, REFUSED_AGAIN_MS);
  }

  private async get(path: string, query: string): Promise<string | null> {
    const all = [query, this.query].filter((part) => part !== '').join('&');
    const request = { method: 'GET', path: `${this.place}${path}${all === '' ? '' : `?${all}`}` } as const;
    const { status, body } = await this.connection.exchange(request);
    if (exceededBound(body, BOUNDS) === 'values') throw this.tooLong('answers too many values');
    const text = textOf(body);
    const isAbsent = ABSENT.has(status) && text !== null && saysAbsent(text);
    if (status !== OK && text !== null && TOO_LONG.test(text.slice(0, MOST_OF_AN_ERROR)))
      throw this.tooLong('refuses to show so many transactions');
    if (status !== OK && !isAbsent) throw this.connection.away(1, `status ${status}`);
    if (text === null) throw this.connection.away(1, 'unreadable answer');
    this.connection.answered();
    return isAbsent ? null : text;
  }
}

function saysAbsent(text: string): boolean {
  return text.length <= MOST_OF_AN_ERROR && !text.trimStart().startsWith('<') && NOT_THERE.test(text);
}

function textOf(body: Buffer): string | null {
  return isUtf8(body) && exceededBound(body, BOUNDS) === null ? body.toString('utf8') : null;
}
