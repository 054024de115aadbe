import { randomUUID } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import type { EventType } from '../../domain/event.ts';
import { Clock } from '../../ports/clock.ts';
import {
  WebhookEndpoints,
  type NewWebhookEndpoint,
  type WebhookEndpoint,
  type WebhookTarget,
} from '../../ports/webhook-endpoints.ts';
import { Database } from './database.ts';
import { EndpointSecrets } from './endpoint-secrets.ts';
import { SecretBox } from './secret-box.ts';
import { WebhookTargets } from './webhook-targets.ts';

interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly event_types: EventType[];
  readonly description: string | null;
  readonly enabled: boolean;
  readonly created_at: Date;
}

/** Webhook endpoints as rows of `destination`. */
@Injectable()
export class PostgresWebhookEndpoints extends WebhookEndpoints {
  private readonly secrets: EndpointSecrets;
  private readonly enabled: WebhookTargets;

  constructor(
    private readonly database: Database,
    box: SecretBox,
    clock: Clock,
  ) {
    super();
    this.secrets = new EndpointSecrets(box);
    this.enabled = new WebhookTargets(database, this.secrets, clock);
  }

  async create(endpoint: NewWebhookEndpoint, secret: string): Promise<WebhookEndpoint> {
    const id = randomUUID();
    const sealed = this.secrets.seal([{ secret, expiresAt: null }], id);
    const { url, eventTypes, description } = endpoint;
    const rows = await this.database.query<EndpointRow>(INSERT, [id, url, eventTypes, description, sealed]);
    this.enabled.forget();
    return endpointOf(rows[0] as EndpointRow);
  }

  async list(): Promise<WebhookEndpoint[]> {
    return (await this.database.query<EndpointRow>(LIST)).map(endpointOf);
  }

  async find(id: string): Promise<WebhookEndpoint | null> {
    const [row] = await this.database.query<EndpointRow>(FIND, [id]);
    return row === undefined ? null : endpointOf(row);
  }

  async remove(id: string): Promise<boolean> {
    const isGone = await this.database.transaction(async (queries) => {
      const removed = await queries.query(REMOVE, [id]);
      if (removed.length > 0) await queries.query(DISCARD, [id]);
      return removed.length > 0;
    });
    this.enabled.forget();
    return isGone;
  }

  async disable(id: string, reason: string): Promise<void> {
    await this.database.query(DISABLE, [id, reason]);
    this.enabled.forget();
  }

  targets(): Promise<readonly WebhookTarget[]> {
    return this.enabled.read();
  }
}

function endpointOf(row: EndpointRow): WebhookEndpoint {
  const { id, url, description, enabled } = row;
  return { id, url, eventTypes: row.event_types, description, enabled, createdAt: row.created_at };
}

const COLUMNS = 'id, url, event_types, description, enabled, created_at';
const INSERT = `
  INSERT INTO destination (id, kind, enabled, url, event_types, description, secrets)
  VALUES ($1, 'webhook', true, $2, $3, $4, $5) RETURNING ${COLUMNS}`;
const LIST = `SELECT ${COLUMNS} FROM destination WHERE kind = 'webhook' ORDER BY created_at, id`;
const FIND = `SELECT ${COLUMNS} FROM destination WHERE kind = 'webhook' AND id = $1`;
const REMOVE = `DELETE FROM destination WHERE kind = 'webhook' AND id = $1 RETURNING id`;
const DISABLE = `
  UPDATE destination SET enabled = false, disabled_reason = $2 WHERE kind = 'webhook' AND id = $1 AND enabled`;
/** A larger backlog is discarded by the housekeeping: nobody claims it without its endpoint. */
const MAX_DISCARDED = 10_000;
/** Locked in the order of their ids, as those who record and settle lock them. */
const DISCARD = `
  UPDATE delivery SET state = 'discarded', due_at = NULL, lane = 0, leased = false
  WHERE id = ANY (ARRAY(
    SELECT id FROM delivery WHERE destination_id = $1 AND state = 'pending' ORDER BY id
    LIMIT ${MAX_DISCARDED} FOR UPDATE))`;
