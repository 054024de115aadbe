import { isRecord } from '../../domain/payment/reading.ts';
import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import type { Queries } from '../../ports/queries.ts';

/** The columns of every provider's quote; other data is read only by the provider's adapter. */
export interface StoredQuote {
  readonly quoteId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

interface Row {
  readonly quote_id: string;
  readonly data: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

const UNIQUE_VIOLATION = '23505';

const INSERT = `
  INSERT INTO provider_quote (quote_id, provider, place, data, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const FIND = `
  SELECT quote_id, data, created_at, expires_at FROM provider_quote
  WHERE provider = $1 AND quote_id = ANY ($2::text[])`;

const RELEASE = `
  UPDATE provider_quote SET place = place || ' ' || quote_id
  WHERE provider = $1 AND place = $2 AND created_at < $3`;

const REPLACE = `UPDATE provider_quote SET data = $3 WHERE provider = $1 AND quote_id = $2`;

const FULLEST = `
  SELECT data::json ->> 'slot' AS slot, count(*)::int AS count FROM provider_quote
  WHERE provider = $1 AND created_at > $2 GROUP BY 1 ORDER BY 2 DESC LIMIT 1`;

/** Two quotes must not share a place, or a request: the deposit could belong to either. */
export class PlaceTaken extends ProviderUnavailable {
  constructor() {
    super('its deposit address belongs to another quote');
  }
}

export function placeTakenOr(error: unknown): unknown {
  return isRecord(error) && error['code'] === UNIQUE_VIOLATION ? new PlaceTaken() : error;
}

/** Quotes of a provider whose API does not know our ids. Throws StoreUnavailable when the database does not answer. */
export class QuoteStore<T extends object> {
  constructor(
    private readonly queries: Queries,
    private readonly provider: string,
    private readonly timeoutMs: number,
  ) {}

  /** `place` is the deposit address with its memo. Throws PlaceTaken when another quote of the provider has it. */
  async add(place: string, { quoteId, createdAt, expiresAt, ...data }: StoredQuote & T): Promise<void> {
    const values = [quoteId, this.provider, place, JSON.stringify(data), createdAt, expiresAt];
    try {
      await this.queries.query(INSERT, values, this.timeoutMs);
    } catch (error) {
      throw placeTakenOr(error);
    }
  }

  /** Frees a place that a provider may give again, if its quote was made before the given time. */
  async release(place: string, before: Date): Promise<void> {
    await this.queries.query(RELEASE, [this.provider, place, before], this.timeoutMs);
  }

  /** Replaces the data of a stored quote. */
  async replace({
    quoteId,
    createdAt: _createdAt,
    expiresAt: _expiresAt,
    ...data
  }: StoredQuote & T): Promise<void> {
    await this.queries.query(REPLACE, [this.provider, quoteId, JSON.stringify(data)], this.timeoutMs);
  }

  /** The `slot` with most quotes since the given time; null without a quote. */
  async fullestSlot(since: Date): Promise<{ readonly slot: string; readonly count: number } | null> {
    const [most] = await this.queries.query<{ slot: string; count: number }>(
      FULLEST,
      [this.provider, since],
      this.timeoutMs,
    );
    return most ?? null;
  }

  /** Unknown ids are missing in the result. */
  async find(quoteIds: readonly string[]): Promise<Map<string, StoredQuote & T>> {
    const rows = await this.queries.query<Row>(FIND, [this.provider, quoteIds], this.timeoutMs);
    return new Map(
      rows.map(({ quote_id: quoteId, data, created_at: createdAt, expires_at: expiresAt }) => [
        quoteId,
        // This adapter wrote the data, so its shape is not checked.
        { ...(JSON.parse(data) as T), quoteId, createdAt, expiresAt },
      ]),
    );
  }
}
