import { randomBytes } from 'node:crypto';

import { afterAll, expect } from '@jest/globals';

import { AppProcess } from './app-process.ts';
import { createEmptyDatabase, createTestDatabase } from './database.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { ProviderStub } from '../../tools/testkit/provider-stub.ts';
import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { SharedProcess, type SharedService } from './shared-process.ts';
import { arrivalsAt, waitForStories, wordOf, type PublishedEvent } from './published-events.ts';

type Env = Record<string, string>;
type Json = Record<string, unknown>;

const PROVIDER_KEY = 'provider-key-of-the-stage';
/** Settings as fast as their bounds allow on a busy machine. */
const FAST: Env = {
  PROVIDER_TIMEOUT_MS: '2000',
  POLL_INTERVAL_MS: '150',
  POLL_MIN_GAP_MS: '100',
  WEBHOOK_TIMEOUT_MS: '1000',
  WEBHOOK_RETRY_SCHEDULE: Array(60).fill('200ms').join(','),
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  WEBHOOK_ALLOW_HTTP: 'true',
};

const opened: ShopStage[] = [];
afterAll(async () => {
  for (const stage of opened.splice(0)) await stage.close();
});

/** A database and a shop of one test file beside any provider, and the settings that Paybell needs there. */
export abstract class ShopStage {
  readonly exchange = `paybell_e2e_${randomBytes(5).toString('hex')}`;

  protected constructor(
    readonly database: Awaited<ReturnType<typeof createEmptyDatabase>>,
    readonly shop: HttpReceiver,
  ) {
    opened.push(this);
  }

  /** Which provider there is. */
  protected abstract get providerEnv(): Env;

  /** The fields of a quote request, unless the test says otherwise. */
  protected abstract quoteBody(partial: Json): Json;

  /** The settings of a replica, without RabbitMQ unless `more` names it. */
  env(more: Env = {}): Env {
    return {
      ...FAST,
      DATABASE_URL: this.database.url,
      ...this.providerEnv,
      RABBITMQ_EXCHANGE: this.exchange,
      ...more,
    };
  }

  /** Starts a ready replica in a process that runs several services in turn, for tests that are not about the process. */
  startWarm(more: Env = {}): Promise<SharedService> {
    return SharedProcess.startReady(this.env(more));
  }

  /** Starts a ready replica as a process of its own. */
  start(more: Env = {}): Promise<AppProcess> {
    return AppProcess.startReady(this.env(more));
  }

  /** Starts a ready replica in a process that other services may have used. */
  startIn(shared: SharedProcess, more: Env = {}): Promise<SharedService> {
    return shared.startReady(this.env(more));
  }

  /** Adds the shop's webhook endpoint; returns its secret. */
  async addShop(app: PaybellService, url = `${this.shop.url}/paybell`): Promise<string> {
    const answer = await app.fetch('/api/webhook-endpoints', { method: 'POST', body: { url } });
    return String((await jsonOf(answer, 201))['secret']);
  }

  /** The gateway's answer to a quote request. */
  askQuote(app: PaybellService, partial: Json = {}): Promise<Response> {
    return app.fetch('/api/quote', { method: 'POST', body: this.quoteBody(partial) });
  }

  /** Requests a quote from Paybell; returns the quote id. */
  async quote(app: PaybellService, partial: Json = {}): Promise<string> {
    return String((await jsonOf(await this.askQuote(app, partial), 200))['quoteId']);
  }

  quotes(app: PaybellService, count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => this.quote(app)));
  }

  /** Which of the payments have this status in the database. */
  async at(quoteIds: readonly string[], status: string): Promise<string[]> {
    const rows = await this.database.query<{ quote_id: string }>(
      'SELECT quote_id FROM payment WHERE quote_id = ANY ($1) AND status = $2',
      [quoteIds, status],
    );
    return rows.map((row) => row.quote_id);
  }

  async eventsOf(app: PaybellService, quoteId: string): Promise<PublishedEvent[]> {
    const answer = await app.fetch(`/api/payments/${quoteId}/events`);
    return (await jsonOf(answer, 200))['data'] as PublishedEvent[];
  }

  /** Waits until the shop got exactly these events of the payment, in this order, and the API returns the same. */
  async published(
    app: PaybellService,
    quoteId: string,
    words: readonly string[],
    timeoutMs?: number,
  ): Promise<PublishedEvent[]> {
    await waitForStories(() => arrivalsAt(this.shop), [quoteId], words.length, timeoutMs);
    const ours = arrivalsAt(this.shop).filter(({ subject }) => subject === quoteId);
    const events = [...new Map(ours.map((event) => [event.id, event])).values()];
    const numbered = events.map((event) => `${event.data.sequence} ${wordOf(event)}`);
    expect(numbered).toEqual(words.map((word, index) => `${index + 1} ${word}`));
    expect(await this.eventsOf(app, quoteId)).toEqual(events);
    return events;
  }

  /** Makes events count as untold at once: otherwise they must be 30 s old. */
  ageDeliveries(): Promise<unknown> {
    return this.database.query(`UPDATE delivery SET created_at = created_at - interval '31 seconds'`);
  }

  async countPayments(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>('SELECT count(*)::int FROM payment');
    return row?.count ?? 0;
  }

  async close(): Promise<void> {
    await this.shop.close();
    await this.database.drop();
  }
}

/** A stage with a provider of the specification, whose payments move only when the test says so. */
export class Stage extends ShopStage {
  private constructor(
    database: ShopStage['database'],
    readonly provider: ProviderStub,
    shop: HttpReceiver,
  ) {
    super(database, shop);
  }

  static async open({ isEmpty = false } = {}): Promise<Stage> {
    const database = await (isEmpty ? createEmptyDatabase() : createTestDatabase());
    return new Stage(database, await ProviderStub.start(PROVIDER_KEY), await HttpReceiver.start());
  }

  /** Sets the provider's status of these payments from now on. */
  say(quoteIds: readonly string[], status: string): void {
    for (const quoteId of quoteIds) this.provider.setStatus(quoteId, { status });
  }

  override async close(): Promise<void> {
    await this.provider.close();
    await super.close();
  }

  protected override get providerEnv(): Env {
    return { PROVIDER_BASE_URL: this.provider.url, PROVIDER_API_KEY: PROVIDER_KEY };
  }

  protected override quoteBody(partial: Json): Json {
    return quoteRequest(partial);
  }
}

/** The body of an answer, which must have this status. */
export async function jsonOf(answer: Response, status: number): Promise<Json> {
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`${answer.url} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Json;
}
