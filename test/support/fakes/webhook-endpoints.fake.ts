import { randomUUID } from 'node:crypto';

import {
  WebhookEndpoints,
  type NewWebhookEndpoint,
  type WebhookEndpoint,
  type WebhookTarget,
} from '../../../src/ports/webhook-endpoints.ts';

/** Webhook endpoints in memory; `reasons` tells why those that were disabled were. */
export class FakeWebhookEndpoints extends WebhookEndpoints {
  readonly reasons = new Map<string, string>();
  private readonly stored = new Map<string, { endpoint: WebhookEndpoint; secrets: string[] }>();

  async create(endpoint: NewWebhookEndpoint, ...secrets: string[]): Promise<WebhookEndpoint> {
    const created = { ...endpoint, id: randomUUID(), enabled: true, createdAt: new Date() };
    this.stored.set(created.id, { endpoint: created, secrets });
    return created;
  }

  async list(): Promise<WebhookEndpoint[]> {
    return [...this.stored.values()].map(({ endpoint }) => endpoint);
  }

  async find(id: string): Promise<WebhookEndpoint | null> {
    return this.stored.get(id)?.endpoint ?? null;
  }

  async remove(id: string): Promise<boolean> {
    return this.stored.delete(id);
  }

  async disable(id: string, reason: string): Promise<void> {
    const found = this.stored.get(id);
    if (found === undefined) return;
    this.stored.set(id, { ...found, endpoint: { ...found.endpoint, enabled: false } });
    this.reasons.set(id, reason);
  }

  async targets(): Promise<readonly WebhookTarget[]> {
    const enabled = [...this.stored.values()].filter(({ endpoint }) => endpoint.enabled);
    return enabled.map(({ endpoint, secrets }) => ({ id: endpoint.id, url: endpoint.url, secrets }));
  }
}
