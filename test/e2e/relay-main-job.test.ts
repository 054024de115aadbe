import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import type { SharedService } from '../support/shared-process.ts';
import type { ReceivedRequest } from '../../tools/testkit/http-receiver.ts';
import { RELAY_KEY, RelayStage, type QuotedPayment, USUAL_BUDGETS } from '../support/relay-stage.ts';
import { DEFAULT_LIMITS } from '../../tools/relay-stand-in/options.js';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { PLAIN_STORY, type PublishedEvent } from '../support/published-events.ts';

let stage: RelayStage;
let apps: [SharedService, SharedService];

// Two replicas with the usual settings, and Relay's stand-in with Relay's usual limits.
beforeAll(async () => {
  stage = await RelayStage.open({ limits: { ...DEFAULT_LIMITS } });
  apps = await Promise.all([stage.startWarm(USUAL_BUDGETS), stage.startWarm(USUAL_BUDGETS)]);
});

function quoteFromBoth(count: number): Promise<QuotedPayment[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => stage.quoted(apps[n % 2] ?? apps[0])));
}

describe('the main job with Relay', () => {
  let app: SharedService;
  let secret: string;
  let quoteId: string;
  let webhooks: ReceivedRequest[];

  /** Moves one payment from its quote to COMPLETED; each status is published before Relay's next step. */
  beforeAll(async () => {
    [app] = apps;
    secret = await stage.addShop(app);
    const order = { orderId: 'A-1001', metadata: { shop: 'eu' } };
    const { address, ...quote } = await stage.quoted(app, order);
    ({ quoteId } = quote);
    const { lives } = stage.relay;
    const moves = [() => lives.deposit(address), () => lives.sweep(address), () => lives.settle(address)];
    for (const [published, move] of moves.entries()) {
      await stage.shop.waitForCount(published + 1);
      move();
    }
    await stage.shop.waitForCount(4);
    webhooks = [...stage.shop.requests];
  });

  it('publishes every status once, in order, as a webhook that standardwebhooks verifies', () => {
    const verified = webhooks.map(({ text, headers }) => {
      return new Webhook(secret).verify(text, headers as Record<string, string>) as PublishedEvent;
    });
    expect(verified.map(({ type, data }) => [data.sequence, type])).toEqual(
      PLAIN_STORY.map((type, index) => [index + 1, type]),
    );
    for (const event of verified) {
      expect(event).toMatchObject({
        subject: quoteId,
        data: { orderId: 'A-1001', metadata: { shop: 'eu' }, late: false },
      });
    }
  });

  it('keeps within the limits that Relay has for every key', () => {
    expect(stage.relay.tooMany).toEqual({ quote: 0, requests: 0, other: 0 });
  });

  it('shows its key to nobody: no log line, no metric, no page', async () => {
    const pages = ['/metrics', '/health/ready', '/openapi.json', '/asyncapi.json', '/api/events'];
    const texts = await Promise.all(pages.map(async (page) => (await app.fetch(page)).text()));
    const shown = [...texts, ...apps.flatMap(({ lines }) => lines), ...webhooks.map(({ text }) => text)];
    expect(shown.filter((text) => text.includes(RELAY_KEY))).toEqual([]);
  });
});

describe("Relay's limits", () => {
  it('are kept by themselves: two replicas with the usual settings never get a 429', async () => {
    const payments = await quoteFromBoth(30);
    const { length: before } = stage.relay.requests;
    await waitFor(() => stage.relay.requests.length > before + 10);
    for (const { address } of payments) stage.relay.lives.fill(address);
    for (const { quoteId } of payments)
      await stage.published(apps[1], quoteId, ['created', 'completed'], 30_000);
    expect(stage.relay.tooMany).toEqual({ quote: 0, requests: 0, other: 0 });
  });
});
