import { randomUUID } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { Idempotency, type IdempotencyBegin, type IdempotencyClaim } from '../../ports/idempotency.ts';
import { Batcher, REQUESTS } from '../../platform/scheduling/batcher.ts';
import { failsAll } from '../connection/connection-errors.ts';
import { Database } from '../connection/database.ts';
import { prepared } from '../connection/prepared.ts';

/** A claim that a request wants. */
interface Wanted extends IdempotencyClaim {
  readonly bodyHash: string;
  readonly leaseMs: number;
}

interface HeldRow {
  readonly scope: string;
  readonly key: string;
  readonly body_hash: string;
  readonly quote_id: string | null;
  readonly quote_text: string | null;
}

/** Idempotency keys in PostgreSQL: the primary key decides between two requests at once. */
@Injectable()
export class PostgresIdempotency extends Idempotency {
  private readonly begins = new Batcher<Wanted, IdempotencyBegin>((wanted) => this.beginGroup(wanted), {
    ...REQUESTS,
    failsAll,
    keyOf: nameOf,
  });

  constructor(private readonly database: Database) {
    super();
  }

  begin(scope: string, key: string, bodyHash: string, leaseMs: number): Promise<IdempotencyBegin> {
    return this.begins.add({ scope, key, token: randomUUID(), bodyHash, leaseMs });
  }

  async renew({ scope, key, token }: IdempotencyClaim, leaseMs: number): Promise<void> {
    await this.database.query(RENEW, [scope, key, token, leaseMs]);
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

  private async beginGroup(wanted: readonly Wanted[]): Promise<IdempotencyBegin[]> {
    const claimed = await this.claim(wanted);
    const isClaimed = ({ token }: Wanted): boolean => claimed.has(token);
    const held = await this.read(wanted.filter((each) => !isClaimed(each)));
    return wanted.map((each) => {
      const { scope, key, token } = each;
      if (isClaimed(each)) return { kind: 'claimed', claim: { scope, key, token } };
      return stateOf(each, held.get(nameOf(each)));
    });
  }

  /** Returns the tokens of the requests that got their keys. */
  private async claim(wanted: readonly Wanted[]): Promise<Set<string>> {
    const rows = await this.database.withDeadlockRetry(() =>
      this.database.query<{ token: string }>(BEGIN, [
        wanted.map(({ scope }) => scope),
        wanted.map(({ key }) => key),
        wanted.map(({ bodyHash }) => bodyHash),
        wanted.map(({ token }) => token),
        wanted.map(({ leaseMs }) => leaseMs),
      ]),
    );
    return new Set(rows.map(({ token }) => token));
  }

  private async read(wanted: readonly Wanted[]): Promise<Map<string, HeldRow>> {
    if (wanted.length === 0) return new Map();
    const names = [wanted.map(({ scope }) => scope), wanted.map(({ key }) => key)];
    const rows = await this.database.query<HeldRow>(READ, names);
    return new Map(rows.map((row) => [nameOf(row), row]));
  }
}

/** The separator is unambiguous: no key has a line break. */
function nameOf({ scope, key }: { readonly scope: string; readonly key: string }): string {
  return `${key}\n${scope}`;
}

function stateOf({ bodyHash }: Wanted, held: HeldRow | undefined): IdempotencyBegin {
  // The key was released between the two statements: the caller asks again.
  if (held === undefined) return { kind: 'busy' };
  if (held.body_hash !== bodyHash) return { kind: 'mismatch' };
  if (held.quote_id === null) return { kind: 'busy' };
  const { quote_id: quoteId, quote_text: quoteText } = held;
  return quoteText === null ? { kind: 'removed' } : { kind: 'done', quoteId, quoteText };
}

/**
 * A holder that died leaves its row: the same body may take it over after the lease, any other body after a day. All
 * processes insert in one order, so that no two ever wait for each other. A row that another session holds delays only its
 * own caller, whose key is then claimed alone. The commit does not wait for the disk: a claim that a crash undoes completes
 * no quote, and the commit of a stored quote waits for both.
 */
const BEGIN = prepared(`
  WITH settings AS MATERIALIZED (
    SELECT set_config('synchronous_commit', 'off', true),
      set_config('lock_timeout',
        CASE WHEN cardinality($1::text[]) > 1 THEN '500ms' ELSE current_setting('lock_timeout') END, true))
  INSERT INTO idempotency AS i (scope, key, body_hash, token, held_until)
  SELECT scope, key, body_hash, token, now() + lease_ms * interval '1 millisecond'
  FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::float8[])
    AS w (scope, key, body_hash, token, lease_ms)
  WHERE (SELECT true FROM settings)
  ORDER BY scope COLLATE "C", key COLLATE "C"
  ON CONFLICT (scope, key) DO UPDATE
  SET body_hash = excluded.body_hash, token = excluded.token, held_until = excluded.held_until,
    quote_id = NULL, created_at = now()
  WHERE i.created_at < now() - interval '24 hours'
    OR (i.quote_id IS NULL AND i.held_until < now() AND i.body_hash = excluded.body_hash)
  RETURNING token`);

const RENEW = `
  UPDATE idempotency SET held_until = now() + $4::float8 * interval '1 millisecond'
  WHERE scope = $1 AND key = $2 AND token = $3 AND quote_id IS NULL`;

const READ = `
  SELECT i.scope, i.key, i.body_hash, i.quote_id, q.body AS quote_text
  FROM unnest($1::text[], $2::text[]) AS w (scope, key)
  JOIN idempotency i ON i.scope = w.scope AND i.key = w.key
  LEFT JOIN payment p ON p.quote_id = i.quote_id
  LEFT JOIN payment_quote q ON q.payment_id = p.id`;
