import { randomUUID } from 'node:crypto';

import { AddressGuard } from '../../src/platform/outbound/address-guard.ts';
import { HostLookup, type Resolve } from '../../src/platform/outbound/guarded-connector.ts';
import { WebhookClient, WebhookSender } from '../../src/destinations/webhook/webhook-sender.ts';
import { WebhookDestination } from '../../src/destinations/webhook/webhook-destination.ts';
import { WebhookTestSender } from '../../src/destinations/webhook/webhook-test-sender.ts';
import { configOf } from './config-of.ts';
import type { DueDelivery } from '../../src/ports/deliveries.ts';
import type { EnabledTarget, WebhookEndpoints } from '../../src/ports/webhook-endpoints.ts';
import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { newSecret } from '../../src/features/webhook-endpoints/new-signing-key.ts';
import { FakeMeter } from './fakes/meter.fake.ts';

export interface BenchOptions {
  readonly timeoutMs?: number;
  readonly cidrs?: string;
  readonly resolve?: Resolve;
  readonly ca?: string;
}

/** The endpoints in the form that sending needs; another test covers the store on PostgreSQL. */
class BenchEndpoints implements Pick<
  WebhookEndpoints,
  'targets' | 'forgetTargets' | 'disable' | 'recordTestDelivered'
> {
  readonly enabled: EnabledTarget[] = [];
  /** Reasons by the id of the disabled endpoint. */
  readonly reasons = new Map<string, string>();
  /** The ids of the endpoints that acknowledged a test event. */
  readonly tested: string[] = [];

  async targets(): Promise<readonly EnabledTarget[]> {
    return this.enabled.filter(({ id }) => !this.reasons.has(id));
  }

  forgetTargets(): void {}

  async disable(id: string, reason: string): Promise<boolean> {
    if (this.reasons.has(id)) return false;
    this.reasons.set(id, reason);
    return true;
  }

  async recordTestDelivered({ id }: { readonly id: string }): Promise<boolean> {
    this.tested.push(id);
    return false;
  }
}

/** A webhook destination in which only the endpoints are fake: a test adds them one by one. */
export class WebhookBench {
  readonly endpoints = new BenchEndpoints();
  readonly meter = new FakeMeter();
  readonly secret = newSecret();
  readonly destination: WebhookDestination;
  readonly tester: WebhookTestSender;
  private readonly client: WebhookClient;

  constructor({ timeoutMs = 500, cidrs = '127.0.0.0/8', resolve, ca }: BenchOptions = {}) {
    const config = configOf({ WEBHOOK_TIMEOUT_MS: String(timeoutMs), WEBHOOK_ALLOWED_CIDRS: cidrs });
    const guard = new AddressGuard(config.webhookAllowedCidrs, config.webhookAllowHttp);
    this.client = new WebhookClient(guard, new HostLookup(resolve, 0), {
      timeoutMs,
      ...(ca === undefined ? {} : { ca }),
    });
    const clock = { now: () => new Date() };
    const sender = new WebhookSender(this.client, clock);
    const endpoints = this.endpoints as unknown as WebhookEndpoints;
    this.destination = new WebhookDestination(endpoints, sender, config, clock, this.meter);
    this.tester = new WebhookTestSender(endpoints, new DeliverySignals(), sender, config, clock);
  }

  async owe(url: string, body = '{}', secrets = [this.secret]): Promise<DueDelivery> {
    const id = randomUUID();
    const target = { id, url, description: null, secrets, circuit: 'closed', recoveredForMs: null } as const;
    this.endpoints.enabled.push(target);
    return dueDelivery(id, body);
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

export function dueDelivery(destinationId: string, body = '{}'): DueDelivery {
  return {
    id: '1',
    token: '1',
    destinationId,
    quoteId: 'q-1',
    provider: 'http',
    orderId: null,
    eventId: '019aa0c4-7c1e-7b6e-9d0e-1c2f3a4b5c6d',
    type: 'payment.completed',
    sequence: 1,
    time: new Date(),
    body,
    attempts: 0,
    retries: 0,
    isUnscheduled: false,
    resumeInMs: null,
    traceparent: null,
  };
}
