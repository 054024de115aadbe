import { setTimeout as sleep } from 'node:timers/promises';

import type { AppProcess } from './app-process.ts';
import { AppProcess as App } from './app-process.ts';
import { EventStream } from './event-stream.ts';
import type { PublishedEvent } from './published-events.ts';
import { ProviderStub } from '../../tools/testkit/provider-stub.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import type { ClusterRoom, PostgresCluster } from './postgres-cluster.ts';
import { Consumers } from './went-back-consumers.ts';

const KEY = 'provider-key-of-a-restore';
const ENDINGS = [['COMPLETED'], ['FAILED'], ['EXPIRED'], ['COMPLETED'], ['EXPIRED', 'COMPLETED']] as const;
const WAY = ['DEPOSIT_RECEIVED', 'EXECUTING'] as const;
/** After a restore no process knows the losses: ten seconds of this are the wait for an answer. */
const READY_WITHIN_MS = 90_000;
const LEAST_POLL_MS = 300;
/** The provider gets two hundred requests a second for a thousand payments. */
const POLL_MS_PER_PAYMENT = 5;

/** Payments under way, two replicas, and consumers of every kind that keep their events, around a database that goes back. */
export class WentBack {
  readonly quoteIds: string[] = [];
  readonly streamed = new Map<string, PublishedEvent>();
  readonly fed = new Map<string, PublishedEvent>();
  /** The refusals of the feed: their status and text. */
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
    readonly consumers: Consumers,
    private readonly pollMs: number,
  ) {}

  /** `payments`: the approximate number of payments. */
  static async begin(room: ClusterRoom, server: PostgresCluster, payments: number): Promise<WentBack> {
    await server.query('CREATE DATABASE paybell');
    const pollMs = Math.max(LEAST_POLL_MS, payments * POLL_MS_PER_PAYMENT);
    const world = new WentBack(room, server, await ProviderStub.start(KEY), await Consumers.open(), pollMs);
    await world.startApps(2).catch(async (error: unknown) => {
      await world.end();
      throw error;
    });
    for (const url of world.consumers.urls)
      await world.app.fetch('/api/webhook-endpoints', { method: 'POST', body: { url } });
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
    this.apps = await Promise.all(Array.from({ length: count }, () => App.start(this.env)));
    await Promise.all(this.apps.map((app) => app.waitReady(READY_WITHIN_MS)));
  }

  /** All settings of a replica. */
  get env(): Record<string, string> {
    return {
      DATABASE_URL: this.databaseUrl,
      PROVIDER_BASE_URL: this.provider.url,
      PROVIDER_API_KEY: KEY,
      PROVIDER_TIMEOUT_MS: '2000',
      POLL_INTERVAL_MS: String(this.pollMs),
      POLL_MIN_GAP_MS: '200',
      WEBHOOK_TIMEOUT_MS: '1000',
      WEBHOOK_RETRY_SCHEDULE: Array(60).fill('200ms').join(','),
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_ALLOW_HTTP: 'true',
      ...this.consumers.env,
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

  /** Moves payments on, one after another, for this long. */
  async live(ms: number, everyMs: number): Promise<void> {
    const until = Date.now() + ms;
    while (Date.now() < until) {
      this.step();
      await sleep(everyMs);
    }
  }

  /** Moves each story to its end, and waits until the shop has it. */
  async settle(quoteIds: readonly string[] = this.quoteIds): Promise<void> {
    while ([...this.stories.values()].some((story) => story.length > 1)) {
      this.step();
      await sleep(10);
    }
    for (const [quoteId, [last = '']] of this.stories) this.provider.setStatus(quoteId, { status: last });
    const isRight = async (): Promise<boolean> => (await this.wrongEnds(quoteIds)).length === 0;
    await waitFor(isRight, { timeoutMs: 5_000 + 10 * this.pollMs }).catch(() => undefined);
    // Paybell polls expired payments ever more rarely: the test does not wait for them.
    for (const quoteId of quoteIds)
      if (this.stories.get(quoteId)?.at(-1) === 'COMPLETED')
        await this.app.fetch(`/api/payments/${quoteId}/refresh`, { method: 'POST' });
    await waitFor(isRight, { timeoutMs: 60_000 + 20 * this.pollMs }).catch(() => undefined);
    const stored = await this.stored();
    const isRead = (): boolean => stored.every(({ id }) => this.streamed.has(id) && this.fed.has(id));
    await waitFor(isRead, { timeoutMs: 20_000 + 2 * this.pollMs }).catch(() => undefined);
  }

  /** The payments that lack the end of their story at any consumer. */
  wrongEnds(quoteIds: readonly string[]): Promise<string[]> {
    return this.consumers.wrongEnds(new Map(quoteIds.map((id) => [id, this.stories.get(id)?.at(-1)])));
  }

  /** The events that the database has now, in the order of its log. */
  async stored(): Promise<{ id: string; subject: string; sequence: number; previous: number | null }[]> {
    return this.server.query(
      `SELECT e.id, p.quote_id AS subject, e.sequence, (e.body::json -> 'data' ->> 'previousSequence')::int AS previous
       FROM event e JOIN payment p ON p.id = e.payment_id ORDER BY e.log_rank, e.position`,
      'paybell',
    );
  }

  /** The numbers that two events have, among all events that any consumer got. */
  numbersTwice(): string[] {
    const ids = new Map<string, Set<string>>();
    for (const { id, subject, data } of [
      ...this.consumers.received,
      ...this.streamed.values(),
      ...this.fed.values(),
    ]) {
      const key = `${subject}#${data.sequence}`;
      ids.set(key, (ids.get(key) ?? new Set()).add(id));
    }
    return [...ids].filter(([, each]) => each.size > 1).map(([key]) => key);
  }

  /** Numbers that follow no number which the payment's consumers have, neither the next one nor a stated one. */
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

  /** The figures of a run at full scale. */
  async figures(): Promise<Record<string, unknown>> {
    const stored = new Set((await this.stored()).map(({ id }) => id));
    const seen = [...this.consumers.received, ...this.streamed.values(), ...this.fed.values()];
    const lost = new Set(seen.map(({ id }) => id).filter((id) => !stored.has(id)));
    const [streamed, fed] = [this.streamed.size, this.fed.size];
    const handled = this.consumers.figures();
    return { payments: this.quoteIds.length, stored: stored.size, lost: lost.size, handled, streamed, fed };
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
    await this.consumers.close();
  }

  private step(): void {
    const open = [...this.stories].filter(([, story]) => story.length > 1);
    const [quoteId, story] = open[Math.floor(Math.random() * open.length)] ?? [];
    const status = story?.shift();
    if (quoteId !== undefined && status !== undefined) this.provider.setStatus(quoteId, { status });
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

  /** A reader of the feed, which keeps its cursor. */
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
