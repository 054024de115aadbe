import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Writable } from 'node:stream';

import type { LogPosition } from '../../domain/event/log-position.ts';
import { EventLog, type LogFilter } from '../../ports/event-log.ts';
import { Meter } from '../../ports/meter.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { Loop } from '../../platform/scheduling/loop.ts';
import { AnswerAccess, CHECK_KEYS_EVERY_MS } from '../../platform/http/answer-access.ts';
import { CatchUp } from './catch-up.ts';
import { LogTail } from './log-tail.ts';
import type { StreamBatch } from './stream-batch.ts';
import { StreamClient, type StreamStart } from './stream-client.ts';

const MAX_STREAMS = 5_000;
/** Half of the streams, so that the clients of one API key leave room for those of other keys. */
const MAX_STREAMS_OF_KEY = MAX_STREAMS / 2;
const HEARTBEAT_MS = 15_000;
/** Events recorded by other replicas are read within this time. */
const READ_EVERY_MS = 250;
/** The wait after a page with events: other transactions that were running may soon commit theirs. */
const READ_SOON_MS = 25;
/** The shortest time between two reads, however many wakes there are. */
const MIN_GAP_MS = 10;
const TAIL_PAGE = 500;
/** The wait without clients: a new client wakes the loop. */
const IDLE_MS = 3_600_000;
const ALL: LogFilter = { types: [] };

/** This process has reached its limit of streams, or is about to stop. */
export class StreamsFull extends Error {
  readonly code = 'streams_full';
  constructor() {
    super('This process serves no more streams now.');
  }
}

/** The clients of this API key have reached their limit of streams in this process. */
export class TooManyStreams extends Error {
  readonly code = 'too_many_streams';
  constructor() {
    super(
      'This API key has as many streams as one key may have. Close some, or share one among several readers.',
    );
  }
}

/** All streams of this process: it reads the log's tail once, and sends each new event to all clients together. */
@Injectable()
export class Streams implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly clients = new Set<StreamClient>();
  private readonly loop: Loop;
  private readonly catchUp: CatchUp;
  private readonly access = new AnswerAccess<StreamClient>((client) => this.refuse(client));
  /** Shared by streams that begin at once. */
  private readonly ends = new SharedWork<LogPosition>();
  private timers: NodeJS.Timeout[] = [];
  private tail: LogTail | null = null;
  private waitMs = READ_SOON_MS;
  private nextAt = 0;
  private isStopping = false;
  private stopped: Promise<unknown> | null = null;

  constructor(
    private readonly log: EventLog,
    private readonly deliverySignals: DeliverySignals,
    private readonly meter: Meter,
  ) {
    this.loop = new Loop('event streams', deliverySignals.streams, () => this.round());
    this.catchUp = new CatchUp(log, (client) => this.join(client));
  }

  onApplicationBootstrap(): void {
    this.loop.start();
    this.timers = [
      setInterval(() => this.tick(), HEARTBEAT_MS),
      setInterval(() => this.access.check(this.clients, performance.now()), CHECK_KEYS_EVERY_MS),
    ];
  }

  /** Checks that this API key may open one more stream. Throws StreamsFull and TooManyStreams. */
  checkRoom(keyName: string): void {
    if (this.isStopping || this.clients.size >= MAX_STREAMS) throw new StreamsFull();
    let ofKey = 0;
    for (const client of this.clients) if (client.keyName === keyName) ofKey += 1;
    if (ofKey >= MAX_STREAMS_OF_KEY) throw new TooManyStreams();
  }

  /** The current end of the log. */
  async now(): Promise<LogPosition> {
    return this.tail?.position ?? this.ends.run('end', () => this.log.end());
  }

  /** Sends the events after `start.from` until the client disconnects; `end` is the result of `now`. */
  open(out: Writable, start: StreamStart, end: LogPosition): void {
    if (out.destroyed) return;
    this.tail ??= new LogTail(end);
    const client = new StreamClient(out, start, (drained) => this.catchUp.addClient(drained));
    this.clients.add(client);
    this.meter.streaming(this.clients.size);
    out.once('close', () => this.drop(client));
    client.begin();
    this.catchUp.addClient(client);
    this.deliverySignals.streams.wake();
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    for (const timer of this.timers) clearInterval(timer);
    for (const client of this.clients) client.end();
    this.stopped ??= Promise.all([this.loop.stop(), this.catchUp.stop()]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  /** Drops the client at once, since a hanging connection may take long to close. */
  private refuse(client: StreamClient): void {
    client.end();
    this.drop(client);
  }

  private drop(client: StreamClient): void {
    this.clients.delete(client);
    this.meter.streaming(this.clients.size);
  }

  private join(client: StreamClient): boolean {
    const batch = this.tail?.since(client.position) ?? null;
    if (batch === null) return false;
    client.sendEach(batch.wanted(client.filter, client.position), batch.to);
    client.isLive = !client.isStalled;
    return true;
  }

  private async round(): Promise<number> {
    // After an early wake: the event of the wake may become visible only after other transactions end.
    if (performance.now() < this.nextAt) this.waitMs = READ_SOON_MS / 2;
    if (this.clients.size === 0) this.tail = null;
    if (this.tail === null) return IDLE_MS;
    const page = await this.log.read(this.tail.position, ALL, TAIL_PAGE);
    for (const batch of this.tail.append(page)) await this.broadcast(batch);
    await sleep(MIN_GAP_MS);
    if (page.events.length === TAIL_PAGE) return 0;
    this.waitMs = page.events.length > 0 ? READ_SOON_MS : Math.min(2 * this.waitMs, READ_EVERY_MS);
    this.nextAt = performance.now() + this.waitMs;
    return this.waitMs;
  }

  private async broadcast(batch: StreamBatch): Promise<void> {
    if (batch.events.length === 0) return;
    for (const client of this.clients) if (client.isLive) client.send(batch);
    // After this turn, bytes that the sockets accepted no longer count as buffered.
    await nextTurn();
  }

  private tick(): void {
    const now = performance.now();
    for (const client of this.clients) {
      client.tick(now);
      if (client.isOver) this.drop(client);
    }
  }
}
