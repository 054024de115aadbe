import { Injectable } from '@nestjs/common';

import { isFinal, STATUSES } from '../../domain/payment/status.ts';
import { VERIFICATION_STATES, type VerificationState } from '../../domain/proof/verification.ts';
import { type Counted, MOST_COUNTED } from '../../ports/attention.ts';
import { ProofFigures, type ProofCounts } from '../../ports/proof-figures.ts';
import { AWAITING_PROOF } from '../attention/awaiting-proof.ts';
import { Database } from '../connection/database.ts';
import { RecordSettings } from '../events/record-settings.ts';

const READ_WITHIN_MS = 3_000;

/** Counts proofs in PostgreSQL. Each count reads an index that has entries only for such payments. */
@Injectable()
export class PostgresProofFigures extends ProofFigures {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
  ) {
    super();
  }

  async lastDay(): Promise<ProofCounts | null> {
    if (this.rules.proof === null) return null;
    const rows = await this.database.reads.query<{ state: VerificationState; count: number }>(
      LAST_DAY,
      [],
      READ_WITHIN_MS,
    );
    const counts = new Map(rows.map(({ state, count }) => [state, count]));
    const entries = VERIFICATION_STATES.map((state) => [state, counts.get(state) ?? 0]);
    return Object.fromEntries(entries) as ProofCounts;
  }

  async waiting(chainIds: readonly number[]): Promise<ReadonlyMap<number, Counted>> {
    if (chainIds.length === 0) return new Map();
    const rows = await this.database.reads.query<{ chainId: string; count: number }>(
      WAITING,
      [],
      READ_WITHIN_MS,
    );
    const isMore = rows.reduce((sum, { count }) => sum + count, 0) > MOST_COUNTED;
    const counts = new Map(rows.map(({ chainId, count }) => [Number(chainId), count]));
    return new Map(chainIds.map((id) => [id, { count: counts.get(id) ?? 0, isMore }]));
  }
}

const COMPLETED = STATUSES.filter(isFinal)
  .map((status) => `'${status}'`)
  .join();

/** No completion is reported before its payment was created. */
const LAST_DAY = `
  SELECT f.state, count(*)::int AS count FROM payment_proof f JOIN payment p ON p.id = f.payment_id
  WHERE f.began_at > now() - interval '1 day' AND p.created_at > now() - interval '1 day'
    AND (f.state <> 'unverified' OR p.status IN (${COMPLETED})) GROUP BY f.state`;

const WAITING = `
  SELECT "chainId", count(*)::int AS count FROM (
    SELECT f.verification::json->>'chainId' AS "chainId" FROM ${AWAITING_PROOF} LIMIT ${MOST_COUNTED + 1}) waiting
  WHERE "chainId" IS NOT NULL GROUP BY 1`;
