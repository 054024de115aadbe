import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import type { AppProcess } from '../support/app-process.ts';
import type { ReceivedRequest } from '../../tools/testkit/http-receiver.ts';
import {
  NATIVE,
  REFUND_TO,
  RELAY_KEY,
  RelayStage,
  USDC_ON_BASE,
  USUAL_BUDGETS,
} from '../support/relay-stage.ts';
import { DEFAULT_LIMITS } from '../../tools/relay-stand-in/options.js';
import { jsonOf } from '../support/stage.ts';
import { arrivalsAt, PLAIN_STORY, type PublishedEvent } from '../support/published-events.ts';

type Json = Record<string, unknown>;

describe('the main job with Relay', () => {
  let stage: RelayStage;
  let app: AppProcess;
  let secret: string;
  let quoteId: string;
  let address: string;
  let quote: Json;
  let webhooks: ReceivedRequest[];
  let completed: PublishedEvent | undefined;

  /** One payment from its quote to COMPLETED, each status published before Relay goes on. */
  beforeAll(async () => {
    stage = await RelayStage.open({ limits: { ...DEFAULT_LIMITS } });
    app = await stage.start(USUAL_BUDGETS);
    secret = await stage.addShop(app);
    const order = { orderId: 'A-1001', metadata: { shop: 'eu' } };
    quote = await jsonOf(await stage.askQuote(app, order), 200);
    quoteId = String(quote['quoteId']);
    address = (quote['send'] as { depositAddress: string }).depositAddress;
    const { lives } = stage.relay;
    const moves = [() => lives.deposit(address), () => lives.sweep(address), () => lives.settle(address)];
    for (const [published, move] of moves.entries()) {
      await stage.shop.waitForCount(published + 1);
      move();
    }
    await stage.shop.waitForCount(4);
    webhooks = [...stage.shop.requests];
    completed = arrivalsAt(stage.shop)[3];
  });

  afterAll(async () => {
    expect(await app.stop()).toBe(0);
  });

  it('asks Relay for a deposit address for exactly what the merchant asked for, with a way back for the money', () => {
    const [asked, ...more] = stage.quotesAsked;
    expect(more).toEqual([]);
    expect(asked?.apiKey).toBe(RELAY_KEY);
    expect(asked?.body).toMatchObject({
      originChainId: 8453,
      originCurrency: USDC_ON_BASE,
      destinationChainId: 42161,
      amount: '25500000',
      tradeType: 'EXACT_INPUT',
      useDepositAddress: true,
      recipient: quote['recipient'],
      refundTo: REFUND_TO,
    });
  });

  it("answers with the spec's quote, whose address is Relay's for that request", () => {
    expect(quote).toMatchObject({
      success: true,
      expiresIn: 300,
      send: { chain: { id: 8453, name: 'Base' }, amount: '25.5', depositAddress: address },
      statusUrl: `/api/status/${quoteId}`,
    });
    expect(stage.relay.row(address)).toMatchObject({
      recipient: quote['recipient'],
      depositAddress: { address },
    });
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

  it('publishes what was paid and what came of it, as Relay has it on its chains', () => {
    const payment = completed?.data.payment;
    const { data } = stage.relay.row(address) as { data: { outTxs: Json[]; inTxs: Json[] } };
    expect(payment).toMatchObject({
      quoteId,
      status: 'COMPLETED',
      depositAddress: address,
      deposit: {
        amount: '25.5',
        amountRaw: '25500000',
        match: 'exact',
        sweepTxHash: data.inTxs[0]?.['txHash'],
      },
      execution: { outputTxHash: data.outTxs[0]?.['txHash'] },
      route: { amount: '25500000', recipient: quote['recipient'] },
      error: null,
    });
  });

  it('answers the status as last reported, at no cost to Relay, however many ask', async () => {
    const { length: before } = stage.reads;
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.fetch(`/api/status/${quoteId}`)));
    for (const answer of answers) expect(await jsonOf(answer, 200)).toEqual(completed?.data.payment);
    expect(stage.reads).toHaveLength(before);
    const payment = await jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200);
    expect(payment).toMatchObject({ status: 'COMPLETED', tracking: 'closed', nextPollAt: null, quote });
  });

  it("answers Relay's chains and tokens as the spec has them", async () => {
    const { chains } = await jsonOf(await app.fetch('/api/chains'), 200);
    expect(chains).toEqual(
      expect.arrayContaining([
        { id: 56, name: 'BNB Chain', shortName: 'bnb', nativeToken: 'BNB' },
        { id: 792703809, name: 'Solana', shortName: 'sol', nativeToken: 'SOL' },
      ]),
    );
    const asked = { method: 'POST', body: { term: 'SOL', chainIds: [792703809], limit: 1 } };
    const { currencies } = await jsonOf(await app.fetch('/api/currencies', asked), 200);
    expect(currencies).toMatchObject([{ address: NATIVE, symbol: 'SOL', vmType: 'svm' }]);
  });

  it('keeps within the limits that Relay has for every key', () => {
    expect(stage.relay.tooMany).toEqual({ quote: 0, requests: 0, other: 0 });
  });

  it('shows its key to nobody: no log line, no metric, no page', async () => {
    const pages = ['/metrics', '/health/ready', '/openapi.json', '/asyncapi.json', '/api/events'];
    const texts = await Promise.all(pages.map(async (page) => (await app.fetch(page)).text()));
    const shown = [...texts, ...app.lines, ...webhooks.map(({ text }) => text)];
    expect(shown.filter((text) => text.includes(RELAY_KEY))).toEqual([]);
  });
});
