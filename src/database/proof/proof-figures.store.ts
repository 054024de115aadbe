import { Injectable } from '@nestjs/common';

import { isPaid, STATUSES } from '../../domain/payment/status.ts';
import { VERIFICATION_STATES, type VerificationState } from '../../domain/proof/verification.ts';
import { type Counted, MOST_COUNTED, type UpTo } from '../../ports/attention.ts';
import { ProofFigures, type ProofCounts, type ProofTrouble } from '../../ports/proof-figures.ts';
import { Database } from '../connection/database.ts';
import { UNRESOLVED } from '../deliveries/bounded-reading.ts';
import { RecordSettings } from '../events/record-settings.ts';
import { FINAL } from '../payments/final.ts';

const READ_WITHIN_MS = 3_000;

interface CountedRow {
  readonly count: number;
  readonly since: Date | null;
}

/** Counts proofs in PostgreSQL. Each count reads an index that has entries only for such payments. */
@Injectable()
export class PostgresProofFigures extends ProofFigures {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
  ) {
    super();
  }

  async troubles(): Promise<Readonly<Record<ProofTrouble, UpTo>>> {
    const chainIds = [...(this.rules.proof?.chainIds ?? [])];
    const [contradicted, unverified, depositUnseen] = await Promise.all([
      this.count(CONTRADICTED),
      this.count(UNVERIFIED, [chainIds]),
      this.count(DEPOSIT_UNSEEN, [UNPAID]),
    ]);
    return { contradicted, unverified, depositUnseen };
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

  private async count(sql: string, parameters: readonly unknown[] = []): Promise<UpTo> {
    const [row] = await this.database.reads.query<CountedRow>(sql, parameters, READ_WITHIN_MS);
    const { count, since } = row ?? { count: 0, since: null };
    return { count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED, since };
  }
}

const UNPAID = STATUSES.filter((status) => !isPaid(status));

function counted(since: string, from: string): string {
  return `
    SELECT count(*)::int AS count, min(found.since) AS since FROM (
      SELECT ${since} AS since FROM ${from} AND ${UNRESOLVED} LIMIT ${MOST_COUNTED + 1}) found`;
}

const CONTRADICTED = counted(
  'f.decided_at',
  `payment_proof f JOIN payment p ON p.id = f.payment_id
   WHERE f.state = 'contradicted' AND f.report_digest = p.report_digest`,
);

/**
 * A withheld completion needs a person for as long as it is withheld; the index of stalled payments finds it. Any other
 * unverified completion counts for a day, if its chain has an RPC: otherwise an installation with few RPCs would count nearly
 * all of its payments.
 */
const UNVERIFIED = counted(
  'p.began_at',
  `(SELECT p.id, p.resolution, f.began_at FROM payment p JOIN payment_proof f ON f.payment_id = p.id AND f.state = 'unverified'
    WHERE p.stalls <> '{}' AND p.tracking <> 'closed' AND 'unverified' = ANY (p.stalls)
    UNION ALL
    SELECT p.id, p.resolution, f.began_at FROM payment_proof f JOIN payment p ON p.id = f.payment_id
      AND (p.tracking = 'closed' OR p.status IN (${FINAL}))
    WHERE f.began_at > now() - interval '1 day' AND f.state = 'unverified'
      AND (f.verification::json->>'chainId')::bigint = ANY ($1::bigint[])) p
   WHERE true`,
);

/** Reads the index of payments with contradictions. */
const DEPOSIT_UNSEEN = counted(
  'p.updated_at',
  `payment p WHERE p.contradictions <> '{}' AND p.status = ANY ($1::text[])
     AND EXISTS (SELECT FROM unnest(p.contradictions) c WHERE c LIKE 'deposit_unseen_by_provider:%')`,
);

const LAST_DAY = `
  SELECT state, count(*)::int AS count FROM payment_proof WHERE began_at > now() - interval '1 day' GROUP BY state`;

/**
 * Pending proofs, and withheld payments whose proof did not come in time. Payments that a person has resolved wait for
 * nothing.
 */
const WAITING = `
  SELECT "chainId", count(*)::int AS count FROM (
    SELECT f.verification::json->>'chainId' AS "chainId" FROM payment_proof f JOIN payment p ON p.id = f.payment_id
    WHERE f.due_at IS NOT NULL AND ${UNRESOLVED}
      AND (f.state = 'pending' OR f.state = 'unverified' AND p.status NOT IN (${FINAL}) AND f.report_digest = p.report_digest)
    LIMIT ${MOST_COUNTED + 1}) waiting
  WHERE "chainId" IS NOT NULL GROUP BY 1`;
