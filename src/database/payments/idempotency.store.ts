import { randomUUID } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { Idempotency, type IdempotencyBegin, type IdempotencyClaim } from '../../ports/idempotency.ts';
import { Database } from '../connection/database.ts';

interface HeldRow {
  readonly token: string;
  readonly body_hash: string;
  readonly quote_id: string | null;
  readonly quote_text: string | null;
}

/** Idempotency keys in PostgreSQL: the primary key decides between two at once. */
@Injectable()
export class PostgresIdempotency extends Idempotency {
  constructor(private readonly database: Database) {
    super();
  }

  async begin(scope: string, key: string, bodyHash: string, leaseMs: number): Promise<IdempotencyBegin> {
    const token = randomUUID();
    const claimed = await this.database.query(BEGIN, [scope, key, bodyHash, token, leaseMs]);
    if (claimed.length > 0) return { kind: 'claimed', claim: { scope, key, token } };
    const [held] = await this.database.query<HeldRow>(READ, [scope, key]);
    // Released between the two statements: the caller asks again.
    if (held === undefined) return { kind: 'busy' };
    if (held.body_hash !== bodyHash) return { kind: 'mismatch' };
    if (held.quote_id === null) return { kind: 'busy' };
    return held.quote_text === null ? { kind: 'removed' } : { kind: 'done', quoteText: held.quote_text };
  }

  async release(claim: IdempotencyClaim): Promise<void> {
    await this.database.query(
      `DELETE FROM idempotency WHERE scope = $1 AND key = $2 AND token = $3 AND quote_id IS NULL`,
      [claim.scope, claim.key, claim.token],
    );
  }

  async removeExpired(): Promise<number> {
    const gone = await this.database.query(
      `DELETE FROM idempotency WHERE created_at < now() - interval '24 hours' RETURNING 1`,
    );
    return gone.length;
  }
}

/** A holder that died leaves its row: after the lease the same body may take it over, or any body after a day. */
const BEGIN = `
  INSERT INTO idempotency AS i (scope, key, body_hash, token, held_until)
  VALUES ($1, $2, $3, $4, now() + $5 * interval '1 millisecond')
  ON CONFLICT (scope, key) DO UPDATE
  SET body_hash = excluded.body_hash, token = excluded.token, held_until = excluded.held_until,
    quote_id = NULL, created_at = now()
  WHERE i.created_at < now() - interval '24 hours'
    OR (i.quote_id IS NULL AND i.held_until < now() AND i.body_hash = excluded.body_hash)
  RETURNING 1`;

const READ = `
  SELECT i.token, i.body_hash, i.quote_id, q.body AS quote_text
  FROM idempotency i
  LEFT JOIN payment p ON p.quote_id = i.quote_id
  LEFT JOIN payment_quote q ON q.payment_id = p.id
  WHERE i.scope = $1 AND i.key = $2`;
