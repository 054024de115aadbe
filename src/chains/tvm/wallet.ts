import { isUtf8 } from 'node:buffer';

import { isRecord } from '../../domain/payment/reading.ts';
import { exceededBound } from '../../domain/text/json-bounds.ts';
import type { RpcConnection } from '../rpc/rpc-connection.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';

const BOUNDS = { depth: 32, values: 100_000 };
const AGAIN_MS = 600_000;
/** Answers of a server without this API. With other statuses the node, or its key, is in trouble. */
const LACKING: ReadonlySet<number> = new Set([404, 405, 410, 501]);

export type WalletMethod = 'gettransactionbyid' | 'gettransactioninfobyid';

/** The HTTP API of a java-tron node, beside its JSON-RPC. */
export class Wallet {
  private readonly place: string;
  private readonly query: string;

  constructor(private readonly connection: RpcConnection) {
    const { pathname, search } = new URL(connection.path, 'http://path.invalid');
    this.place = `${pathname.replace(/(?:\/jsonrpc)?\/?$/, '')}/wallet`;
    this.query = search;
  }

  /**
   * The answer about a transaction as text, since its numbers may be longer than JSON.parse keeps; null: the node does not
   * have it. Throws RpcTrouble.
   */
  async ask(method: WalletMethod, txHash: string): Promise<string | null> {
    const request = {
      method: 'POST',
      path: `${this.place}/${method}${this.query}`,
      body: JSON.stringify({ value: txHash.replace(/^0x/, '') }),
    } as const;
    const { status, body } = await this.connection.exchange(request);
    if (status !== 200 && !LACKING.has(status)) throw this.connection.away(1, `status ${status}`);
    const answer = status === 200 ? parse(body) : null;
    this.connection.answered();
    if (answer === null || 'Error' in answer || 'jsonrpc' in answer) throw new NoWallet(method);
    return Object.keys(answer).length === 0 ? null : body.toString('utf8');
  }
}

/** The node has no such API beside its JSON-RPC. */
export class NoWallet extends RpcTrouble {
  constructor(method: WalletMethod) {
    super('rpc_error', `does not answer /wallet/${method}`, AGAIN_MS);
  }
}

function parse(body: Buffer): Readonly<Record<string, unknown>> | null {
  if (!isUtf8(body) || exceededBound(body, BOUNDS) !== null) return null;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
