import { setTimeout as sleep } from 'node:timers/promises';

import type { AppProcess } from './app-process.ts';
import { AppProcess as App } from './app-process.ts';
import { EventStream } from './event-stream.ts';
import type { PublishedEvent } from './published-events.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { ProviderStub } from '../../tools/testkit/provider-stub.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import type { ClusterRoom, PostgresCluster } from './postgres-cluster.ts';

const KEY = 'provider-key-of-a-restore';
const ENDINGS = [['COMPLETED'], ['FAILED'], ['EXPIRED'], ['COMPLETED'], ['EXPIRED', 'COMPLETED']] as const;
const WAY = ['DEPOSIT_RECEIVED', 'EXECUTING'] as const;
const EVERYTHING = 60_000;
const SOON = 8_000;

/** An event as it came, and the state that the recipe of docs/webhooks.md has made of it. */
interface Order {
  status: string;
  sequence: number;
  completed: number;
}

/** Payments under way, two replicas, and four consumers that keep all they get, around a database that goes back. */
export class WentBack {
  readonly quoteIds: string[] = [];
  readonly orders = new Map<string, Order>();
  readonly webhooks: PublishedEvent[] = [];
  readonly streamed = new Map<string, PublishedEvent>();
  readonly fed = new Map<string, PublishedEvent>();
  /** Answers of the feed that were refused: their status and text. */
  readonly refused: string[] = [];
  apps: AppProcess[] = [];
  private readonly stories = new Map<string, string[]>();
  private cursor = '';
  private isOver = false;
  private readonly readers: Promise<void>[] = [];

  private constructor(
    readonly room: ClusterRoom,
    public server: PostgresCluster,
    readonly provider: ProviderStub,
    private readonly shop: HttpReceiver,
  ) {
    this.shop.answer((request) => {
      this.take(request.json as PublishedEvent);
      return { status: 204 };
    });
  }

  static async begin(room: ClusterRoom, server: PostgresCluster, replicas = 2): Promise<WentBack> {
    await server.query('CREATE DATABASE paybell');
    const world = new WentBack(room, server, await ProviderStub.start(KEY), await HttpReceiver.start());
    await world.startApps(replicas);
    const body = { url: `${world.shop.url}/paybell` };
    await world.app.fetch('/api/webhook-endpoints', { method: 'POST', body });
    world.readers.push(world.follow(), world.read());
    return world;
  }

  get app(): AppProcess {
    const [app] = this.apps;
    if (app === undefined) throw new Error('no replica runs');
    return app;
  }

  get databaseUrl(): string {
    return this.server.urlOf('paybell');
  }

  async startApps(count: number): Promise<void> {
    this.apps = await Promise.all(Array.from({ length: count }, () => App.startReady(this.env)));
  }

  /** All settings of a replica. */
  get env(): Record<string, string> {
    return {
      DATABASE_URL: this.databaseUrl,
      PROVIDER_BASE_URL: this.provider.url,
      PROVIDER_API_KEY: KEY,
      PROVIDER_TIMEOUT_MS: '2000',
      POLL_INTERVAL_MS: '300',
      POLL_MIN_GAP_MS: '200',
      WEBHOOK_TIMEOUT_MS: '1000',
      WEBHOOK_RETRY_SCHEDULE: Array(60).fill('200ms').join(','),
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_ALLOW_HTTP: 'true',
    };
  }

  async quote(count: number): Promise<string[]> {
    const made: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const body = quoteRequest({ orderId: `A-${this.quoteIds.length}` });
      const answer = await this.app.fetch('/api/quote', { method: 'POST', body });
      const { quoteId } = (await answer.json()) as { quoteId: string };
      const ending = ENDINGS[this.quoteIds.length % ENDINGS.length] ?? [];
      const isPaid = ending[0] !== 'EXPIRED';
      this.stories.set(quoteId, [...(isPaid ? WAY : []), ...ending]);
      this.quoteIds.push(quoteId);
      made.push(quoteId);
    }
    return made;
  }

  /** For so long, payments take their next steps one after another. */
  async live(ms: number, everyMs: number): Promise<void> {
    const until = Date.now() + ms;
    while (Date.now() < until) {
      this.step();
      await sleep(everyMs);
    }
  }

  /** Each story ends, and the shop has its end. */
  async settle(quoteIds: readonly string[] = this.quoteIds): Promise<void> {
    while ([...this.stories.values()].some((story) => story.length > 1)) {
      this.step();
      await sleep(10);
    }
    for (const [quoteId, [last = '']] of this.stories) this.provider.setStatus(quoteId, { status: last });
    const isRight = (): boolean => this.wrongEnds(quoteIds).length === 0;
    await waitFor(isRight, { timeoutMs: SOON }).catch(() => undefined);
    // Expired payments are looked at ever less often: not for these is it waited.
    for (const quoteId of quoteIds)
      if (this.orders.get(quoteId)?.status === 'EXPIRED')
        await this.app.fetch(`/api/payments/${quoteId}/refresh`, { method: 'POST' });
    await waitFor(isRight, { timeoutMs: EVERYTHING }).catch(() => undefined);
    const stored = await this.stored();
    const isRead = (): boolean => stored.every(({ id }) => this.streamed.has(id) && this.fed.has(id));
    await waitFor(isRead, { timeoutMs: 20_000 }).catch(() => undefined);
  }

  /** The orders of these payments that do not stand at the end of their story. */
  wrongEnds(quoteIds: readonly string[]): string[] {
    return quoteIds.flatMap((quoteId) => {
      const expected = this.stories.get(quoteId)?.at(-1);
      const { status, sequence } = this.orders.get(quoteId) ?? {};
      return status === expected ? [] : [`${quoteId}: ${status}#${sequence} and not ${expected}`];
    });
  }

  /** The events that the database has now, in the order of its log. */
  async stored(): Promise<{ id: string; subject: string; sequence: number; previous: number | null }[]> {
    return this.server.query(
      `SELECT e.id, p.quote_id AS subject, e.sequence, (e.body::json -> 'data' ->> 'previousSequence')::int AS previous
       FROM event e JOIN payment p ON p.id = e.payment_id ORDER BY e.log_rank, e.position`,
      'paybell',
    );
  }

  /** All that any consumer ever got: numbers that were given to two events. */
  numbersTwice(): string[] {
    const ids = new Map<string, Set<string>>();
    for (const { id, subject, data } of [...this.webhooks, ...this.streamed.values(), ...this.fed.values()]) {
      const key = `${subject}#${data.sequence}`;
      ids.set(key, (ids.get(key) ?? new Set()).add(id));
    }
    return [...ids].filter(([, each]) => each.size > 1).map(([key]) => key);
  }

  /** Numbers that follow no number which the payment's consumers have: neither the next, nor a named one. */
  async gaps(): Promise<string[]> {
    const last = new Map<string, number>();
    return (await this.stored()).flatMap(({ subject, sequence, previous }) => {
      const before = last.get(subject) ?? 0;
      last.set(subject, sequence);
      const isNext = previous === null ? sequence === before + 1 : previous === before;
      return isNext ? [] : [`${subject}: #${sequence} after #${before}, names ${previous}`];
    });
  }

  async skipped(by: ReadonlyMap<string, unknown>): Promise<string[]> {
    return (await this.stored())
      .filter(({ id }) => !by.has(id))
      .map(({ subject, sequence }) => `${subject}#${sequence}`);
  }

  async epoch(): Promise<number> {
    const [row] = await this.server.query<{ epoch: number }>('SELECT log_epoch() AS epoch', 'paybell');
    return row?.epoch ?? -1;
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.apps.map((app) => app.kill9()));
    await Promise.all(this.readers);
    await this.provider.close();
    await this.shop.close();
  }

  private step(): void {
    const open = [...this.stories].filter(([, story]) => story.length > 1);
    const [quoteId, story] = open[Math.floor(Math.random() * open.length)] ?? [];
    const status = story?.shift();
    if (quoteId !== undefined && status !== undefined) this.provider.setStatus(quoteId, { status });
  }

  /** COMPLETED wins, then the sequence: the statement of docs/webhooks.md. `completed` counts its ids. */
  private take(event: PublishedEvent): void {
    const isNew = !this.webhooks.some(({ id }) => id === event.id);
    this.webhooks.push(event);
    const { status, sequence } = event.data;
    const order = this.orders.get(event.subject) ?? { status: '', sequence: 0, completed: 0 };
    this.orders.set(event.subject, order);
    if (event.type === 'payment.completed' && isNew) order.completed += 1;
    if (order.status === 'COMPLETED' || (order.sequence >= sequence && status !== 'COMPLETED')) return;
    Object.assign(order, { status, sequence });
  }

  /** An SSE client that reconnects with Last-Event-ID, as a browser does. */
  private async follow(): Promise<void> {
    for (let lastEventId = ''; !this.isOver;) {
      const resume = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
      const headers = { 'x-api-key': this.app.apiKey, ...resume };
      const url = `${this.app.url}/api/events/stream${lastEventId === '' ? '?after=0-0' : ''}`;
      const stream = await EventStream.open(url, headers).catch(() => null);
      if (stream?.status !== 200) {
        stream?.close();
        await sleep(200);
        continue;
      }
      while (!stream.isEnded && !this.isOver) {
        for (const { id, data } of stream.events.splice(0)) {
          this.streamed.set(id, JSON.parse(data) as PublishedEvent);
          lastEventId = id;
        }
        await sleep(50);
      }
      stream.close();
    }
  }

  /** A reader of the feed that keeps its cursor. */
  private async read(): Promise<void> {
    while (!this.isOver) {
      await sleep(100);
      const answer = await this.app.fetch(`/api/events?limit=50&after=${this.cursor}`).catch(() => null);
      if (answer === null || answer.status >= 500) continue;
      const text = await answer.text().catch(() => '');
      if (answer.status !== 200) {
        this.refused.push(`${answer.status} ${text}`);
        continue;
      }
      const { data, nextCursor } = JSON.parse(text) as { data: PublishedEvent[]; nextCursor: string };
      for (const event of data) this.fed.set(event.id, event);
      this.cursor = nextCursor;
    }
  }
}
