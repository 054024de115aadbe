import { AddressGuard } from '../../src/destinations/webhook/ssrf/address-guard.ts';
import { HostLookup, type Resolve } from '../../src/destinations/webhook/ssrf/host-lookup.ts';
import { WebhookClient } from '../../src/destinations/webhook/webhook-client.ts';
import { WebhookDestination } from '../../src/destinations/webhook/webhook-destination.ts';
import { WebhookSender } from '../../src/destinations/webhook/webhook-sender.ts';
import { WebhookTestSender } from '../../src/destinations/webhook/webhook-test-sender.ts';
import { Config } from '../../src/config/config.ts';
import type { DueDelivery } from '../../src/ports/deliveries.ts';
import { DeliverySignals } from '../../src/platform/scheduling/wake-signal.ts';
import { newSecret } from '../../src/features/webhook-endpoints/new-secret.ts';
import { FakeMeter } from './fakes/meter.fake.ts';
import { FakeWebhookEndpoints } from './fakes/webhook-endpoints.fake.ts';

export interface BenchOptions {
  readonly timeoutMs?: number;
  readonly cidrs?: string;
  readonly resolve?: Resolve;
  readonly ca?: string;
}

/** A webhook destination with everything real but its endpoints, which it is given one by one. */
export class WebhookBench {
  readonly endpoints = new FakeWebhookEndpoints();
  readonly meter = new FakeMeter();
  readonly secret = newSecret();
  readonly destination: WebhookDestination;
  readonly tester: WebhookTestSender;
  private readonly client: WebhookClient;

  constructor({ timeoutMs = 500, cidrs = '127.0.0.0/8', resolve, ca }: BenchOptions = {}) {
    const config = new Config({ WEBHOOK_TIMEOUT_MS: String(timeoutMs), WEBHOOK_ALLOWED_CIDRS: cidrs });
    const guard = new AddressGuard(config.webhookAllowedCidrs, config.webhookAllowHttp);
    this.client = new WebhookClient(guard, new HostLookup(resolve, 0), {
      timeoutMs,
      ...(ca === undefined ? {} : { ca }),
    });
    const clock = { now: () => new Date() };
    const sender = new WebhookSender(this.client, clock);
    this.destination = new WebhookDestination(this.endpoints, sender, config, clock, this.meter);
    this.tester = new WebhookTestSender(this.endpoints, new DeliverySignals(), sender, config, clock);
  }

  async owe(url: string, body = '{}', secrets = [this.secret]): Promise<DueDelivery> {
    const asked = { url, eventTypes: [], description: null };
    const [secret = this.secret, ...former] = secrets;
    const key = { secret, publicKey: null };
    const { id: destinationId } = await this.endpoints.create(asked, key, Infinity, ...former);
    return dueDelivery(destinationId, body);
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
    orderId: null,
    eventId: '019aa0c4-7c1e-7b6e-9d0e-1c2f3a4b5c6d',
    type: 'payment.completed',
    sequence: 1,
    time: new Date(),
    body,
    attempts: 0,
    retries: 0,
    failingMs: 0,
    resumeInMs: null,
  };
}
