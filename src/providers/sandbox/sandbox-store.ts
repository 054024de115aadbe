import type { Queries } from '../../ports/queries.ts';
import type { Story } from './stories.ts';
import type { SandboxQuote } from './sandbox-quote.ts';
import type { SandboxPayment } from './sandbox-status.ts';
import type { ReportedStages } from './story-phase.ts';

interface Row {
  readonly quote: string;
  readonly story: Story;
  readonly speed: number;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly deposited_at: Date | null;
  readonly reported_stages: ReportedStages | null;
}

/** Stores the sandbox's payments in the database. Throws StoreUnavailable when the database does not answer. */
export class SandboxStore {
  constructor(
    private readonly queries: Queries,
    private readonly timeoutMs: number,
  ) {}

  async add(payment: SandboxPayment): Promise<void> {
    await this.queries.query(
      `INSERT INTO sandbox_payment (quote_id, quote, story, speed, created_at, expires_at, deposited_at, reported_stages)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        payment.quote.quoteId,
        JSON.stringify(payment.quote),
        payment.story,
        payment.speed,
        payment.createdAt,
        payment.expiresAt,
        payment.depositedAt,
        payment.reportedStages,
      ],
      this.timeoutMs,
    );
  }

  /** Reads all of these quotes in one statement; ids without a quote are missing in the result. */
  async find(quoteIds: readonly string[]): Promise<Map<string, SandboxPayment>> {
    const rows = await this.queries.query<Row>(
      `SELECT quote, story, speed, created_at, expires_at, deposited_at, reported_stages
       FROM sandbox_payment WHERE quote_id = ANY ($1::text[])`,
      [quoteIds],
      this.timeoutMs,
    );
    const payments = rows.map(readRow);
    return new Map(payments.map((payment) => [payment.quote.quoteId, payment]));
  }

  /** Sets the deposit's time to now, unless it was made before. */
  async deposit(quoteId: string, now: Date): Promise<void> {
    await this.queries.query(
      `UPDATE sandbox_payment SET deposited_at = $2
       WHERE quote_id = $1 AND (deposited_at IS NULL OR deposited_at > $2)`,
      [quoteId, now],
      this.timeoutMs,
    );
  }

  /** Makes the provider see the unseen deposit from now on, which then follows the plain story. */
  async see(quoteId: string, now: Date): Promise<void> {
    await this.queries.query(
      `UPDATE sandbox_payment SET story = $3, deposited_at = $2
       WHERE quote_id = $1 AND story = $4 AND deposited_at <= $2`,
      [quoteId, now, 'plain' satisfies Story, 'unseen_deposit' satisfies Story],
      this.timeoutMs,
    );
  }

  /** Stores when a recorded stage was reported; the first time stays. */
  async recordStage(quoteId: string, stage: string, reportedAt: Date): Promise<void> {
    await this.queries.query(
      `UPDATE sandbox_payment SET reported_stages = jsonb_build_object($2::text, $3::bigint) || reported_stages
       WHERE quote_id = $1 AND reported_stages IS NOT NULL`,
      [quoteId, stage, reportedAt.getTime()],
      this.timeoutMs,
    );
  }
}

/** This adapter wrote the quote, so its shape is not checked. */
function readRow(row: Row): SandboxPayment {
  return {
    quote: JSON.parse(row.quote) as SandboxQuote,
    story: row.story,
    speed: row.speed,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    depositedAt: row.deposited_at,
    reportedStages: row.reported_stages,
  };
}
