import { Injectable } from '@nestjs/common';

import type { ProviderView, Refusal } from '../../ports/provider-view.ts';
import type { ConnectionTrouble } from '../../ports/readiness.ts';
import { Replicas, type SeenReplica } from '../../ports/replicas.ts';
import type { SeenRpcTrouble } from '../../ports/rpc-trouble.ts';
import { Database } from '../connection/database.ts';

const REMOVE_WITHIN_MS = 1_000;

type StoredView = Omit<ProviderView, 'refusals'> & {
  readonly refusals: readonly (Omit<Refusal, 'at'> & { readonly at: string })[];
};

type Row = Omit<SeenReplica, 'providers' | 'troubles' | 'rpcs'> & {
  readonly rpcs: readonly (Omit<SeenRpcTrouble, 'since'> & { readonly since: string })[];
  readonly troubles: Readonly<Record<string, Omit<ConnectionTrouble, 'since'> & { readonly since: string }>>;
  readonly providers: Readonly<Record<string, StoredView>>;
};

/** The rows that the replicas write with their figures. */
@Injectable()
export class PostgresReplicas extends Replicas {
  constructor(private readonly database: Database) {
    super();
  }

  async recent(): Promise<SeenReplica[]> {
    const rows = await this.database.looks.query<Row>(RECENT);
    return rows.map(({ providers, troubles, rpcs, ...row }) => ({
      ...row,
      providers: Object.fromEntries(Object.entries(providers).map(([name, view]) => [name, viewOf(view)])),
      troubles: datedOf(troubles),
      rpcs: rpcs.map((seen) => ({ ...seen, since: new Date(seen.since) })),
    }));
  }

  async remove(id: string): Promise<void> {
    await this.database.query(REMOVE, [id], REMOVE_WITHIN_MS);
  }
}

function viewOf(view: StoredView): ProviderView {
  return { ...view, refusals: view.refusals.map((refusal) => ({ ...refusal, at: new Date(refusal.at) })) };
}

function datedOf(troubles: Row['troubles']): SeenReplica['troubles'] {
  const dated = Object.entries(troubles).map(([kind, trouble]) => [
    kind,
    { ...trouble, since: new Date(trouble.since) },
  ]);
  return Object.fromEntries(dated);
}

/** A replica that missed seven beats of HistoryWatch counts as dead. */
const RECENT = `
  SELECT id, s.roles, s.release, s.started_at AS "startedAt", r.seen_at AS "seenAt", s.providers, s.settings, s.troubles, s.rpcs,
    r.seen_at > now() - interval '35 seconds' AS "isAlive"
  FROM replica_state s JOIN replica r USING (id)
  WHERE r.seen_at > now() - interval '1 hour' ORDER BY r.seen_at DESC, id LIMIT 100`;

/** Also removes replicas that ended long ago without a message. */
const REMOVE = `
  DELETE FROM replica_state s WHERE s.id = $1
  OR NOT EXISTS (SELECT FROM replica r WHERE r.id = s.id AND r.seen_at > now() - interval '1 day')`;
