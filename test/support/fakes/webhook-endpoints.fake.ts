import { randomUUID } from 'node:crypto';

import {
  WebhookEndpoints,
  type EnabledTarget,
  type EndpointChanges,
  type NewWebhookEndpoint,
  type SigningKey,
  type WebhookEndpoint,
  type WebhookTarget,
} from '../../../src/ports/webhook-endpoints.ts';

interface Stored {
  readonly endpoint: WebhookEndpoint;
  readonly secrets: string[];
}

/** Webhook endpoints in memory; `reasons` says why those that were disabled were. */
export class FakeWebhookEndpoints extends WebhookEndpoints {
  readonly reasons = new Map<string, string>();
  /** Those that took a test event. */
  readonly tested: string[] = [];
  unreadableIds: string[] = [];
  private readonly stored = new Map<string, Stored>();

  async create(
    endpoint: NewWebhookEndpoint,
    key: SigningKey,
    _atMost?: number,
    ...former: string[]
  ): Promise<WebhookEndpoint> {
    const created: WebhookEndpoint = {
      ...endpoint,
      id: randomUUID(),
      enabled: true,
      disabledReason: null,
      signature: key.publicKey === null ? 'v1' : 'v1a',
      publicKey: key.publicKey,
      createdAt: new Date(),
      circuit: 'closed',
      failingSince: null,
      nextProbeAt: null,
      problem: null,
      pending: 0,
      oldestPendingAt: null,
      lastDeliveredAt: null,
    };
    this.stored.set(created.id, { endpoint: created, secrets: [key.secret, ...former] });
    return created;
  }

  async list(): Promise<WebhookEndpoint[]> {
    return [...this.stored.values()].map(({ endpoint }) => endpoint);
  }

  async find(id: string): Promise<WebhookEndpoint | null> {
    return this.stored.get(id)?.endpoint ?? null;
  }

  async change(id: string, changes: EndpointChanges): Promise<WebhookEndpoint | null> {
    const found = this.stored.get(id);
    if (found === undefined) return null;
    const { disabledReason = found.endpoint.disabledReason } = changes;
    const endpoint = { ...found.endpoint, ...changes, disabledReason, enabled: disabledReason === null };
    this.stored.set(id, { ...found, endpoint });
    return endpoint;
  }

  async remove(id: string): Promise<boolean> {
    return this.stored.delete(id);
  }

  async rotate(id: string, { secret, publicKey }: SigningKey, until: Date): Promise<Date | null> {
    const found = this.stored.get(id);
    if (found === undefined) return null;
    const endpoint = { ...found.endpoint, publicKey };
    this.stored.set(id, { endpoint, secrets: [secret, ...found.secrets] });
    return until;
  }

  async disable(id: string, reason: string): Promise<boolean> {
    if (this.stored.get(id)?.endpoint.enabled !== true) return false;
    await this.change(id, { disabledReason: reason });
    this.reasons.set(id, reason);
    return true;
  }

  async recordTestDelivered({ id }: WebhookTarget): Promise<boolean> {
    this.tested.push(id);
    return false;
  }

  async unreadable(): Promise<readonly string[]> {
    return this.unreadableIds;
  }

  async targets(): Promise<readonly EnabledTarget[]> {
    const enabled = [...this.stored.values()].filter(({ endpoint }) => endpoint.enabled);
    return enabled.map((each) => ({ ...targetOf(each), circuit: 'closed', recoveredForMs: null }));
  }

  forgetTargets(): void {
    // Nothing is kept.
  }

  async target(id: string): Promise<WebhookTarget | null> {
    const found = this.stored.get(id);
    return found === undefined ? null : targetOf(found);
  }
}

function targetOf({ endpoint, secrets }: Stored): WebhookTarget {
  return { id: endpoint.id, url: endpoint.url, description: endpoint.description, secrets };
}
