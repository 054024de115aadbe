import type { Queries } from '../../ports/queries.ts';
import type { Story } from './story-chapters.ts';
import type { SandboxQuote } from './sandbox-quote.ts';
import type { SandboxPayment } from './sandbox-status.ts';
import type { AnsweredStages } from './story.ts';

interface Row {
  readonly quote: string;
  readonly story: Story;
  readonly speed: number;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly deposited_at: Date | null;
  readonly answered: AnsweredStages | null;
}

/** The sandbox's payments in the database that all replicas share. A database that is away is StoreUnavailable. */
export class SandboxStore {
  constructor(
    private readonly queries: Queries,
    private readonly timeoutMs: number,
  ) {}

  async add(payment: SandboxPayment): Promise<void> {
    await this.queries.query(
      `INSERT INTO sandbox_payment (quote_id, quote, story, speed, created_at, expires_at, deposited_at, answered)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        payment.quote.quoteId,
        JSON.stringify(payment.quote),
        payment.story,
        payment.speed,
        payment.createdAt,
        payment.expiresAt,
        payment.depositedAt,
        payment.answered,
      ],
      this.timeoutMs,
    );
  }

  /** One statement for all of them; those that do not exist are missing in the answer. */
  async find(quoteIds: readonly string[]): Promise<Map<string, SandboxPayment>> {
    const rows = await this.queries.query<Row>(
      `SELECT quote, story, speed, created_at, expires_at, deposited_at, answered
       FROM sandbox_payment WHERE quote_id = ANY ($1::text[])`,
      [quoteIds],
      this.timeoutMs,
    );
    const payments = rows.map(readRow);
    return new Map(payments.map((payment) => [payment.quote.quoteId, payment]));
  }

  /** Marks the deposit as made by now; one that was made before stays as it was. */
  async deposit(quoteId: string, now: Date): Promise<void> {
    await this.queries.query(
      `UPDATE sandbox_payment SET deposited_at = $2
       WHERE quote_id = $1 AND (deposited_at IS NULL OR deposited_at > $2)`,
      [quoteId, now],
      this.timeoutMs,
    );
  }

  /** Notes when a stage was told that has been recorded by now; the first time stands. */
  async noteAnswer(quoteId: string, stage: string, reportedAt: Date): Promise<void> {
    await this.queries.query(
      `UPDATE sandbox_payment SET answered = jsonb_build_object($2::text, $3::bigint) || answered
       WHERE quote_id = $1 AND answered IS NOT NULL`,
      [quoteId, stage, reportedAt.getTime()],
      this.timeoutMs,
    );
  }
}

/** The quote was written by this adapter: its shape is known. */
function readRow(row: Row): SandboxPayment {
  return {
    quote: JSON.parse(row.quote) as SandboxQuote,
    story: row.story,
    speed: row.speed,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    depositedAt: row.deposited_at,
    answered: row.answered,
  };
}
