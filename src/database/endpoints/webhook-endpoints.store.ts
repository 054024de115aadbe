import { randomUUID } from 'node:crypto';

import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

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
import { EndpointEntity } from '../entities/endpoint.entity.ts';
import { endpointOf, newEndpointOf, selectEndpoints, type EndpointRow } from './endpoint-row.ts';
import { forgetUnwanted } from '../deliveries/forget-unwanted.ts';
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
    @InjectRepository(EndpointEntity) private readonly endpoints: Repository<EndpointEntity>,
    box: SecretBox,
    private readonly clock: Clock,
  ) {
    super();
    this.secrets = new EndpointSecrets(box);
    this.enabled = new WebhookTargets(database, this.secrets, clock);
    this.rotation = new SecretRotation(database, endpoints, this.secrets, clock);
  }

  async create(
    endpoint: NewWebhookEndpoint,
    { secret, publicKey }: SigningKey,
    atMost = Infinity,
  ): Promise<WebhookEndpoint> {
    const id = randomUUID();
    const secrets = this.secrets.first(secret, id);
    const signature: Signature = publicKey === null ? 'v1' : 'v1a';
    const added = this.endpoints.create({
      id,
      kind: 'webhook',
      enabled: true,
      url: endpoint.url,
      eventTypes: endpoint.eventTypes,
      description: endpoint.description,
      secrets,
      signature,
      publicKey,
    });
    await this.database.transaction(async (queries, manager) => {
      await queries.query(LOCK_COUNT);
      const endpoints = manager.withRepository(this.endpoints);
      if ((await endpoints.countBy({ kind: 'webhook' })) >= atMost) throw new TooManyEndpoints(atMost);
      await endpoints.insert(added);
    });
    this.enabled.forget();
    return newEndpointOf(added, this.secrets, this.clock.now());
  }

  async list(): Promise<WebhookEndpoint[]> {
    const rows = await this.database.reads.query<EndpointRow>(LIST);
    return rows.map((row) => endpointOf(row, this.secrets, this.clock.now()));
  }

  find(id: string): Promise<WebhookEndpoint | null> {
    return this.findBy(this.database.looks, id);
  }

  async change(id: string, changes: EndpointChanges): Promise<WebhookEndpoint | null> {
    await this.database.transaction(async (queries, manager) => {
      await queries.query(LOCK_CIRCUIT, [id]);
      const endpoints = manager.withRepository(this.endpoints);
      const lock = { mode: 'for_no_key_update' } as const;
      const endpoint = await endpoints.findOne({ where: { id, kind: 'webhook' }, lock });
      if (endpoint === null) return;
      await endpoints.save(changed(endpoint, changes));
      // Both a new URL and enabling the endpoint reset its circuit.
      const isReset = changes.url !== undefined || changes.disabledReason === null;
      if (isReset) await queries.query(REMOVE_CIRCUIT, [id]);
    });
    this.enabled.forget();
    if (changes.eventTypes !== undefined) await forgetUnwanted(this.database, id);
    return this.findBy(this.database, id);
  }

  async remove(id: string): Promise<boolean> {
    const isGone = await this.database.transaction(async (queries, manager) => {
      await queries.query(LOCK_CIRCUIT, [id]);
      const { affected } = await manager.withRepository(this.endpoints).delete({ id, kind: 'webhook' });
      if (affected !== 1) return false;
      await queries.query(DISCARD, [id]);
      await queries.query(REMOVE_CIRCUIT, [id]);
      return true;
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
    const { affected } = await this.database.withRepository(this.endpoints, (endpoints) =>
      endpoints.update({ id, kind: 'webhook', enabled: true }, { enabled: false, disabledReason: reason }),
    );
    this.enabled.forget();
    return affected === 1;
  }

  async recordTestDelivered({ id, url }: WebhookTarget): Promise<boolean> {
    await this.database.withRepository(this.endpoints, (endpoints) =>
      endpoints.update({ id, kind: 'webhook', url }, { testedAt: () => 'now()' }),
    );
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

  private async findBy(queries: Queries, id: string): Promise<WebhookEndpoint | null> {
    const [row] = await queries.query<EndpointRow>(FIND, [id]);
    return row === undefined ? null : endpointOf(row, this.secrets, this.clock.now());
  }
}

/** Disabling a disabled endpoint keeps its reason. */
function changed(endpoint: EndpointEntity, { disabledReason, ...changes }: EndpointChanges): EndpointEntity {
  Object.assign(endpoint, changes);
  if (disabledReason === undefined) return endpoint;
  endpoint.enabled = disabledReason === null;
  endpoint.disabledReason = disabledReason === null ? null : (endpoint.disabledReason ?? disabledReason);
  return endpoint;
}

/**
 * Lets one caller in at a time, across all replicas: two callers that count before either has added an endpoint would both
 * find room.
 */
const LOCK_COUNT = `SELECT pg_advisory_xact_lock(hashtextextended('paybell webhook endpoints', 0))`;
/** Locked before the endpoint, as in note_outcomes: with different orders the two would wait for each other. */
const LOCK_CIRCUIT = `SELECT 1 FROM endpoint_circuit WHERE destination_id = $1 FOR UPDATE`;
const REMOVE_CIRCUIT = `DELETE FROM endpoint_circuit WHERE destination_id = $1`;
const LIST = `${selectEndpoints(MOST_PENDING_IN_A_LIST)} ORDER BY x.created_at, x.id`;
const FIND = `${selectEndpoints(String(MOST_PENDING))} AND x.id = $1`;
/**
 * Counts only for the URL that was tried: an open circuit of another URL stays open. Locks the row before it decides.
 */
const ANSWERED = `
  WITH open AS MATERIALIZED (
    SELECT c.destination_id FROM endpoint_circuit c
    JOIN destination x ON x.id = c.destination_id AND x.url = $2
    WHERE c.destination_id = $1 AND c.state = 'open' FOR UPDATE OF c
  )
  SELECT s.change FROM open, LATERAL note_success(ARRAY[open.destination_id]) s`;
/** Housekeeping discards the rest of a larger backlog; without its endpoint it is never claimed. */
const MAX_DISCARDED = 10_000;
/** Locks rows in the order of ids, as record_events and settle_deliveries do. */
const DISCARD = `
  UPDATE delivery SET state = 'discarded', due_at = NULL, lane_state = 'waiting', leased = false
  WHERE id = ANY (ARRAY(
    SELECT id FROM delivery WHERE destination_id = $1 AND state = 'pending' ORDER BY id
    LIMIT ${MAX_DISCARDED} FOR UPDATE))`;
