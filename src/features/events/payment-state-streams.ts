import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';

import type { LogPosition } from '../../domain/event/log-position.ts';
import { type StateStream, StateStreams } from '../../platform/http/state-streams.ts';
import { EventLog } from '../../ports/event-log.ts';
import { Timers } from '../../ports/timers.ts';
import { beginStream } from './begin-stream.ts';
import { dataFrame } from './stream-frame.ts';
import { Streams, StreamsFull } from './streams.ts';

/** Fewer than the streams of a process, so that clients without a key leave room for clients with a key. */
const MAX_STREAMS = 2_000;
const MAX_OF_CLIENT = 50;
/** A page's stream ends after this time; the page connects again. */
const MAX_STREAM_MS = 3_600_000;
/** Stands for an API key's name; no such name has a space. */
const STREAMS_OF = 'clients without a key';

/** This address has as many streams as one address may have. */
class TooManyOfAddress extends Error {
  readonly code = 'too_many_streams';
  constructor() {
    super('This address has as many streams as one may have. Close some, or ask again later.');
  }
}

/** Wakes up with the events of a payment and sends its state. */
@Injectable()
export class PaymentStateStreams extends StateStreams {
  private readonly ofClient = new Map<string, number>();
  private count = 0;
  private place: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly streams: Streams,
    private readonly log: EventLog,
    private readonly timers: Timers,
  ) {
    super();
  }

  override async open(request: Request, response: Response, stream: StateStream): Promise<boolean> {
    const { client, quoteId, isAllowed, accessId } = stream;
    this.checkRoom(client);
    const { id, end } = await this.placeOf(quoteId);
    if (id === null) return false;
    this.checkRoom(client);
    if (!beginStream(request, response, 'no-store')) return true;
    this.add(stream, response);
    const state = async (): Promise<string | null> => {
      const json = await stream.read();
      return json === null ? null : dataFrame(json);
    };
    const filter = { types: [], payment: { id, quoteId } };
    this.streams.open(response, { keyName: STREAMS_OF, filter, from: end, state, isAllowed, accessId }, end);
    return true;
  }

  private checkRoom(client: string): void {
    if (this.count >= MAX_STREAMS) throw new StreamsFull();
    if ((this.ofClient.get(client) ?? 0) >= MAX_OF_CLIENT) throw new TooManyOfAddress();
    this.streams.checkRoom(STREAMS_OF);
  }

  /** Runs one at a time: streams that are opened at once share one connection to the database. */
  private placeOf(quoteId: string): Promise<{ id: string | null; end: LogPosition }> {
    const read = async () => ({ id: await this.log.paymentIdOf(quoteId), end: await this.streams.now() });
    const place = this.place.then(read);
    this.place = place.catch(() => undefined);
    return place;
  }

  private add({ client, lastsMs }: StateStream, response: Response): void {
    this.count += 1;
    this.ofClient.set(client, (this.ofClient.get(client) ?? 0) + 1);
    const cancel = this.timers.after(Math.min(lastsMs, MAX_STREAM_MS), () => response.end());
    response.once('close', () => {
      cancel();
      this.count -= 1;
      const left = (this.ofClient.get(client) ?? 1) - 1;
      if (left > 0) this.ofClient.set(client, left);
      else this.ofClient.delete(client);
    });
  }
}
