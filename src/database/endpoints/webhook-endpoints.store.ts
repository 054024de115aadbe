import { randomUUID } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';
import type { Queries } from '../../ports/queries.ts';
import {
  TooManyEndpoints,
  WebhookEndpoints,
  type EnabledTarget,
  type EndpointChanges,
  type NewWebhookEndpoint,
  type Signature,
  type SigningKey,
  type WebhookEndpoint,
  type WebhookTarget,
} from '../../ports/webhook-endpoints.ts';
import { Database } from '../connection/database.ts';
import { endpointOf, NEW_ENDPOINT_COLUMNS, selectEndpoints, type EndpointRow } from './endpoint-row.ts';
import { EndpointSecrets } from '../secrets/endpoint-secrets.ts';
import { MOST_PENDING, MOST_PENDING_IN_A_LIST } from '../deliveries/pending-of-endpoints.ts';
import { SecretBox } from '../secrets/secret-box.ts';
import { SecretRotation } from '../secrets/secret-rotation.ts';
import { WebhookTargets } from '../deliveries/webhook-targets.ts';

/** Webhook endpoints as rows of `destination`. */
@Injectable()
export class PostgresWebhookEndpoints extends WebhookEndpoints {
  private readonly secrets: EndpointSecrets;
  private readonly enabled: WebhookTargets;
  private readonly rotation: SecretRotation;

  constructor(
    private readonly database: Database,
    box: SecretBox,
    private readonly clock: Clock,
  ) {
    super();
    this.secrets = new EndpointSecrets(box);
    this.enabled = new WebhookTargets(database, this.secrets, clock);
    this.rotation = new SecretRotation(database, this.secrets, clock);
  }

  async create(
    endpoint: NewWebhookEndpoint,
    { secret, publicKey }: SigningKey,
    atMost = Infinity,
  ): Promise<WebhookEndpoint> {
    const id = randomUUID();
    const sealed = this.secrets.first(secret, id);
    const { url, eventTypes, description } = endpoint;
    const signature: Signature = publicKey === null ? 'v1' : 'v1a';
    const values = [id, url, eventTypes, description, sealed, signature, publicKey];
    const row = await this.database.transaction((queries) => insertEndpoint(queries, values, atMost));
    this.enabled.forget();
    return endpointOf(row, this.secrets, this.clock.now());
  }

  async list(): Promise<WebhookEndpoint[]> {
    const rows = await this.database.query<EndpointRow>(LIST);
    return rows.map((row) => endpointOf(row, this.secrets, this.clock.now()));
  }

  async find(id: string): Promise<WebhookEndpoint | null> {
    const [row] = await this.database.query<EndpointRow>(FIND, [id]);
    return row === undefined ? null : endpointOf(row, this.secrets, this.clock.now());
  }

  async change(id: string, changes: EndpointChanges): Promise<WebhookEndpoint | null> {
    const { url, eventTypes, description, disabledReason } = changes;
    const values = [
      id,
      url ?? null,
      eventTypes ?? null,
      description !== undefined,
      description ?? null,
      disabledReason === undefined ? null : disabledReason === null,
      disabledReason ?? null,
    ];
    await this.database.transaction(async (queries) => {
      await queries.query(LOCK_CIRCUIT, [id]);
      await queries.query(CHANGE, values);
    });
    this.enabled.forget();
    return this.find(id);
  }

  async remove(id: string): Promise<boolean> {
    const isGone = await this.database.transaction(async (queries) => {
      await queries.query(LOCK_CIRCUIT, [id]);
      const removed = await queries.query(REMOVE, [id]);
      if (removed.length > 0) {
        await queries.query(DISCARD, [id]);
        await queries.query(`DELETE FROM endpoint_circuit WHERE destination_id = $1`, [id]);
      }
      return removed.length > 0;
    });
    this.enabled.forget();
    return isGone;
  }

  async rotate(id: string, key: SigningKey, until: Date): Promise<Date | null> {
    const former = await this.rotation.rotate(id, key, until);
    this.enabled.forget();
    return former;
  }

  async disable(id: string, reason: string): Promise<boolean> {
    const disabled = await this.database.query(DISABLE, [id, reason]);
    this.enabled.forget();
    return disabled.length > 0;
  }

  async recordTestDelivered({ id, url }: WebhookTarget): Promise<boolean> {
    await this.database.query(TESTED, [id, url]);
    const recovered = await this.database.query(ANSWERED, [id, url]);
    this.enabled.forget();
    return recovered.length > 0;
  }

  targets(): Promise<readonly EnabledTarget[]> {
    return this.enabled.read();
  }

  unreadable(): Promise<readonly string[]> {
    return this.enabled.readUnreadable();
  }

  forgetTargets(): void {
    this.enabled.forget();
  }

  target(id: string): Promise<WebhookTarget | null> {
    return this.rotation.target(id);
  }
}

/** Inserts an endpoint in the caller's transaction. Throws TooManyEndpoints where there are `atMost` already. */
async function insertEndpoint(
  queries: Queries,
  values: readonly unknown[],
  atMost: number,
): Promise<EndpointRow> {
  await queries.query(LOCK_COUNT);
  const [counted] = await queries.query<{ endpoints: number }>(COUNT);
  if ((counted?.endpoints ?? 0) >= atMost) throw new TooManyEndpoints(atMost);
  const [row] = await queries.query<EndpointRow>(INSERT, values);
  return row as EndpointRow;
}

/** One at a time, over all replicas: two that count before either has added would both find room. */
const LOCK_COUNT = `SELECT pg_advisory_xact_lock(hashtextextended('paybell webhook endpoints', 0))`;
const COUNT = `SELECT count(*)::int AS endpoints FROM destination WHERE kind = 'webhook'`;
const INSERT = `
  INSERT INTO destination AS x (id, kind, enabled, url, event_types, description, secrets, signature, public_key)
  VALUES ($1, 'webhook', true, $2, $3, $4, $5, $6, $7) RETURNING ${NEW_ENDPOINT_COLUMNS}`;
/** Before the endpoint itself, as note_outcomes does: otherwise the two would wait for each other. */
const LOCK_CIRCUIT = `SELECT 1 FROM endpoint_circuit WHERE destination_id = $1 FOR UPDATE`;
/** An endpoint that is disabled again keeps its reason. A new URL and enabling it both reset its circuit. */
const CHANGE = `
  WITH closed AS (
    DELETE FROM endpoint_circuit WHERE destination_id = $1 AND ($2::text IS NOT NULL OR $6::boolean)
  )
  UPDATE destination
  SET url = coalesce($2, url), event_types = coalesce($3::text[], event_types),
    description = CASE WHEN $4::boolean THEN $5 ELSE description END, enabled = coalesce($6::boolean, enabled),
    disabled_reason = CASE WHEN $6::boolean THEN NULL ELSE coalesce(disabled_reason, $7) END
  WHERE kind = 'webhook' AND id = $1`;
const LIST = `${selectEndpoints(MOST_PENDING_IN_A_LIST)} ORDER BY x.created_at, x.id`;
const FIND = `${selectEndpoints(String(MOST_PENDING))} AND x.id = $1`;
const TESTED = `UPDATE destination SET tested_at = now() WHERE kind = 'webhook' AND id = $1 AND url = $2`;
/** Only at the URL that was tried: an open circuit of another URL stays open. Locks the row before it decides. */
const ANSWERED = `
  WITH open AS MATERIALIZED (
    SELECT c.destination_id FROM endpoint_circuit c
    JOIN destination x ON x.id = c.destination_id AND x.url = $2
    WHERE c.destination_id = $1 AND c.state = 'open' FOR UPDATE OF c
  )
  SELECT s.change FROM open, LATERAL note_success(ARRAY[open.destination_id]) s`;
const REMOVE = `DELETE FROM destination WHERE kind = 'webhook' AND id = $1 RETURNING id`;
const DISABLE = `
  UPDATE destination SET enabled = false, disabled_reason = $2 WHERE kind = 'webhook' AND id = $1 AND enabled
  RETURNING id`;
/** Housekeeping discards the rest of a larger backlog: without its endpoint it is never claimed. */
const MAX_DISCARDED = 10_000;
/** Locks in the order of ids, as record_events and settle_deliveries do. */
const DISCARD = `
  UPDATE delivery SET state = 'discarded', due_at = NULL, lane_state = 'waiting', leased = false
  WHERE id = ANY (ARRAY(
    SELECT id FROM delivery WHERE destination_id = $1 AND state = 'pending' ORDER BY id
    LIMIT ${MAX_DISCARDED} FOR UPDATE))`;
