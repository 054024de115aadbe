import { Injectable } from '@nestjs/common';

import type { AdoptedOrder } from '../adoption/adoption.ts';
import { HandOverAsker } from '../adoption/hand-over-asker.ts';
import { isRecord, quoteIdKey } from '../../domain/payment/reading.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import { problemOf } from '../../platform/http/problem.ts';
import { readFields } from '../../platform/http/read-fields.ts';
import { Payments, StoreUnavailable } from '../../ports/payments.ts';
import { Timers } from '../../ports/timers.ts';
import { TrackBody } from './payments.dto.ts';
import { PaymentsService } from './payments.service.ts';
import { trackOrder } from './track-order.ts';

/** Each label uses a connection to the database, and quotes, polls and deliveries need most of the connections. */
const LABELS_AT_ONCE = 4;
/** More than any provider takes in one request, so that every request is full. */
const ADOPTIONS_AT_ONCE = 250;
const PATH = '/api/payments';
const INTERNAL = 500;

/** The result for one of the quotes. */
export interface HandedOver {
  /** The submitted quote id; null if there was none. */
  readonly quoteId: string | null;
  readonly result: 'created' | 'known' | 'refused';
  /** Why it was refused (RFC 9457). */
  readonly problem: Readonly<Record<string, unknown>> | null;
}

interface Entry {
  readonly index: number;
  readonly quoteId: string;
  readonly order: AdoptedOrder;
}

/**
 * Tracks many quotes that were made elsewhere. A refused quote does not affect the others, and the whole request may be
 * repeated.
 */
@Injectable()
export class HandOver {
  constructor(
    private readonly service: PaymentsService,
    private readonly payments: Payments,
    private readonly timers: Timers,
  ) {}

  /**
   * Returns the results in the order of `texts`, each the JSON of a TrackBody. Changes no order of a completed payment.
   * Throws StoreUnavailable and unexpected errors: then some of the quotes may be tracked.
   */
  async run(texts: readonly string[], caller: string): Promise<HandedOver[]> {
    const results: HandedOver[] = [];
    const entries = readEntries(texts, results);
    const stored = await Promise.all(entries.map(({ quoteId }) => this.payments.read(quoteId)));
    const asker = new HandOverAsker(`hand-over of ${caller}`, this.timers);
    const settle = async (entry: Entry): Promise<void> => {
      results[entry.index] = await this.track(entry, asker);
    };
    const isForeign = (_entry: Entry, at: number): boolean => stored[at] === 'unknown';
    await Promise.all([
      inLanes(ADOPTIONS_AT_ONCE, entries.filter(isForeign), settle),
      inLanes(
        LABELS_AT_ONCE,
        entries.filter((entry, at) => !isForeign(entry, at)),
        settle,
      ),
    ]);
    return results;
  }

  private async track({ quoteId, order }: Entry, asker: HandOverAsker): Promise<HandedOver> {
    try {
      const { isNew } = await this.service.track(quoteId, order, asker, null);
      return { quoteId, result: isNew ? 'created' : 'known', problem: null };
    } catch (error) {
      return refused(quoteId, error);
    }
  }
}

/** The readable entries; unreadable ones get their results here. */
function readEntries(texts: readonly string[], results: HandedOver[]): Entry[] {
  const named = new Set<string>();
  return texts.flatMap((text, index) => {
    const sent: unknown = JSON.parse(text);
    try {
      const fields = readFields(TrackBody, sent);
      const order = trackOrder(fields, text);
      const key = quoteIdKey(fields.quoteId);
      if (named.has(key)) throw new InvalidField('quoteId', 'is in this body twice');
      named.add(key);
      return [{ index, quoteId: fields.quoteId, order }];
    } catch (error) {
      const quoteId = isRecord(sent) ? sent['quoteId'] : null;
      results[index] = refused(typeof quoteId === 'string' ? quoteId : null, error);
      return [];
    }
  });
}

function refused(quoteId: string | null, error: unknown): HandedOver {
  const { status, body, headers } = problemOf(error, PATH, null, true);
  if (status === INTERNAL || error instanceof StoreUnavailable) throw error;
  const seconds = headers['retry-after'];
  const problem = seconds === undefined ? body : { ...body, retryAfterSeconds: Number(seconds) };
  return { quoteId, result: 'refused', problem };
}

async function inLanes<Item>(
  lanes: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
