import type { ChainView, ViewedBlock } from './chain-view.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection ends after the first half of the body. */
  readonly isCut?: boolean;
}

/** A request, and the facts that the server knows. */
export interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly view: ChainView;
  readonly chainId: number;
  /** The hashes of the main network's blocks by their heights. */
  readonly known: ReadonlyMap<number, string>;
  /** False amounts by `txid:vout`. */
  readonly values: ReadonlyMap<string, bigint>;
  /** A block that the chain has taken back. */
  readonly leftBlock: ViewedBlock | null;
}

export function text(status: number, body: string): Answer {
  return { status, body, headers: { 'content-type': 'text/plain' } };
}

/** Writes a bigint with all its digits. */
export function json(status: number, value: unknown): Answer {
  return { status, body: JSON.stringify(value, mark).replaceAll(/"bigint (\d+)"/g, '$1') };
}

function mark(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `bigint ${value}` : value;
}
