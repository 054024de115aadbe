import type { ReconcileState } from '../../../ports/provider-view.ts';
import type { Queries } from '../../../ports/queries.ts';
import { addressKey } from '../../../domain/chains/address-key.ts';
import { PlaceTaken, placeTakenOr } from '../../shared/quote-store.ts';
import type { RelayQuote } from './relay-quote.ts';

interface Row {
  readonly quote_id: string;
  readonly request_id: string;
  readonly deposit_address: string;
  readonly data: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly is_shared: boolean;
}

/** The fields of a quote that are never searched for, stored as JSON. */
type RowData = Pick<RelayQuote, 'from' | 'to' | 'amount' | 'minAmountOut' | 'recipient'>;

const INSERT = `
  INSERT INTO relay_quote
    (quote_id, request_id, deposit_address, address_key, chain_id, data, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;

/** Inserts a quote that only the merchant vouches for, unless a quote on any chain has the address. */
const INSERT_ALONE = `
  INSERT INTO relay_quote
    (quote_id, request_id, deposit_address, address_key, chain_id, data, created_at, expires_at)
  SELECT $1, $2, $3, $4, $5::bigint, $6, $7::timestamptz, $8::timestamptz
  WHERE NOT EXISTS (SELECT 1 FROM relay_quote WHERE address_key = $4)
  RETURNING quote_id`;

const RECONCILED_TO = `
  SELECT reconciled_to AS "reconciledTo", next_at AS "nextAt" FROM relay_reconcile WHERE id = 1`;

/** Stores Relay's quotes in the database. Throws StoreUnavailable when the database does not answer. */
export class RelayStore {
  constructor(
    private readonly queries: Queries,
    private readonly timeoutMs: number,
  ) {}

  /** Throws PlaceTaken when another quote has this deposit address on the same origin chain, or this request id. */
  async add(quote: RelayQuote): Promise<void> {
    await this.insert(INSERT, quote);
  }

  /** Throws PlaceTaken also when another quote has this deposit address on another chain. */
  async addAlone(quote: RelayQuote): Promise<void> {
    const added = await this.insert(INSERT_ALONE, quote);
    if (added.length === 0) throw new PlaceTaken();
  }

  /** Reads all of these quotes in one statement; ids without a quote are missing in the result. */
  async find(quoteIds: readonly string[]): Promise<Map<string, RelayQuote>> {
    const rows = await this.queries.query<Row>(
      `SELECT quote_id, request_id, deposit_address, data, created_at, expires_at, EXISTS (
         SELECT 1 FROM relay_quote o WHERE o.address_key = q.address_key AND o.chain_id <> q.chain_id) AS is_shared
       FROM relay_quote q WHERE quote_id = ANY ($1::text[])`,
      [quoteIds],
      this.timeoutMs,
    );
    return new Map(rows.map((row) => [row.quote_id, readRow(row)]));
  }

  /** The ids of those requests whose id and address no stored quote has. */
  async unknownAmong(
    requests: readonly { readonly requestId: string; readonly address: string }[],
  ): Promise<string[]> {
    const rows = await this.queries.query<{ id: string }>(
      `SELECT u.id FROM unnest($1::text[], $2::text[]) AS u (id, address_key)
       WHERE NOT EXISTS (SELECT 1 FROM relay_quote q WHERE q.request_id = u.id)
         AND NOT EXISTS (SELECT 1 FROM relay_quote q WHERE q.address_key = u.address_key)`,
      [requests.map(({ requestId }) => requestId), requests.map(({ address }) => addressKey(address))],
      this.timeoutMs,
    );
    return rows.map(({ id }) => id);
  }

  /** Finds our quotes by request id or deposit address. EVM addresses match in any letter case, others exactly. */
  async quoteIdsOf(keys: {
    readonly requestIds: readonly string[];
    readonly addresses: readonly string[];
  }): Promise<string[]> {
    const requestIds = keys.requestIds.filter(isStorable);
    const addressKeys = keys.addresses.filter(isStorable).map(addressKey);
    const rows = await this.queries.query<Pick<Row, 'quote_id'>>(
      `SELECT quote_id FROM relay_quote WHERE request_id = ANY ($1::text[])
       UNION
       SELECT quote_id FROM relay_quote WHERE address_key = ANY ($2::text[])`,
      [requestIds, addressKeys],
      this.timeoutMs,
    );
    return rows.map((row) => row.quote_id);
  }

  /** How far any replica has read Relay's list of changes. */
  async reconciledTo(): Promise<ReconcileState | null> {
    const [state] = await this.queries.query<ReconcileState>(RECONCILED_TO, [], this.timeoutMs);
    return state ?? null;
  }

  private async insert(sql: string, quote: RelayQuote): Promise<readonly object[]> {
    try {
      return await this.queries.query<object>(sql, rowOf(quote), this.timeoutMs);
    } catch (error) {
      throw placeTakenOr(error);
    }
  }
}

function rowOf(quote: RelayQuote): readonly unknown[] {
  const { from, to, amount, minAmountOut, recipient } = quote;
  const data: RowData = { from, to, amount, minAmountOut, recipient };
  return [
    quote.quoteId,
    quote.requestId,
    quote.depositAddress,
    addressKey(quote.depositAddress),
    from.chainId,
    JSON.stringify(data),
    quote.createdAt,
    quote.expiresAt,
  ];
}

/** This adapter wrote the data, so its shape is not checked. */
function readRow(row: Row): RelayQuote {
  return {
    quoteId: row.quote_id,
    requestId: row.request_id,
    depositAddress: row.deposit_address,
    ...(JSON.parse(row.data) as RowData),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.is_shared ? { isAddressShared: true } : {}),
  };
}

/** PostgreSQL refuses a statement if one of its texts contains NUL. */
function isStorable(text: string): boolean {
  return !text.includes('\u0000');
}
