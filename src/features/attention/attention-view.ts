import { Injectable } from '@nestjs/common';

import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { OpenAttention, type OpenCount } from '../../ports/attention.ts';
import { Clock } from '../../ports/clock.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { StoreBusy } from '../../ports/store-busy.ts';
import { Timers } from '../../ports/timers.ts';
import { type AttentionItem, CODES, severityOf } from './attention-item.ts';
import { AttentionReader, itemsOf } from './attention-reader.ts';
import { databaseItem } from './operating-items.ts';
import type { AttentionAnswer } from './attention.dto.ts';

/** Open dashboards and Prometheus share one reading for this long. */
const FRESH_MS = 5_000;
/** After a reading, the next one waits for this many times the reading's duration. */
const TIMES_READING = 50;
/** Bounds that wait: the lists behind the items are read at once, and must not differ from their counts for long. */
const KEPT_MOST_MS = 10_000;
/** After this time the last answer is shown, with an item that has the reason. */
const READ_WITHIN_MS = 8_000;
/** The longest wait of a scrape, as for its other figures. */
const COUNTED_WITHIN_MS = 1_900;
/** Longer than a view is kept: older counts would hide from alerts that no reading ends any more. */
const COUNTS_LAST_MS = 900_000;

type View = Readonly<AttentionAnswer> & { readonly items: readonly AttentionItem[] };

/** The reading takes longer than its caller waits. */
class ReadingLate extends StoreUnavailable {}

/** Reads the items that need a person, once for all callers at about the same time. */
@Injectable()
export class AttentionView extends OpenAttention {
  private readonly shared: SharedWork<View>;
  private last: View | null = null;

  constructor(
    private readonly reader: AttentionReader,
    private readonly database: DatabaseHealth,
    private readonly clock: Clock,
    private readonly timers: Timers,
  ) {
    super();
    this.shared = new SharedWork({
      freshMs: FRESH_MS,
      timesWork: timesReading,
      mostMs: KEPT_MOST_MS,
      timers,
    });
  }

  async read(): Promise<View> {
    const [read, failure] = await this.readIn(READ_WITHIN_MS);
    const view = read ?? this.last ?? this.nothingRead(failure);
    return { ...view, items: [...this.databaseItems(failure), ...view.items] };
  }

  async counts(): Promise<readonly OpenCount[]> {
    const view = await this.countedView();
    const items =
      view instanceof Error ? this.databaseItems(view) : [...this.databaseItems(null), ...view.items];
    const codes = view instanceof Error ? items.map(({ code }) => code) : CODES;
    return codes.map((code) => {
      const { count = 0 } = items.find((item) => item.code === code) ?? {};
      return { code, severity: severityOf(code), count };
    });
  }

  /** Without a kept view, each long reading would begin the waits of all alerts anew. */
  private async countedView(): Promise<View | Error> {
    try {
      return await this.inTime(COUNTED_WITHIN_MS);
    } catch (error) {
      const isUnderWay = error instanceof ReadingLate || error instanceof StoreBusy;
      const isLast = isUnderWay && this.database.trouble() === null && this.isLastRecent();
      if (isLast && this.last !== null) return this.last;
      // Without any count the alerts would be silent: a reading that fails for any reason counts as the database's trouble.
      return error instanceof StoreUnavailable ? error : new StoreUnavailable({ cause: error });
    }
  }

  private isLastRecent(): boolean {
    return this.last !== null && +this.clock.now() - +this.last.checkedAt < COUNTS_LAST_MS;
  }

  /** The view; or null, and the store's error that prevents it. Throws every other error. */
  private async readIn(withinMs: number): Promise<[View | null, Error | null]> {
    try {
      return [await this.inTime(withinMs), null];
    } catch (error) {
      if (error instanceof StoreBusy || error instanceof StoreUnavailable) return [null, error];
      throw error;
    }
  }

  private inTime(withinMs: number): Promise<View> {
    let cancel: () => void;
    const late = new Promise<never>((_resolve, reject) => {
      cancel = this.timers.after(withinMs, () => reject(new ReadingLate()));
    });
    const reading = this.shared.run('view', () => this.readNow());
    return Promise.race([reading, late]).finally(() => cancel());
  }

  /** This process's own trouble with the database. A busy service still answers others. */
  private databaseItems(failure: Error | null): AttentionItem[] {
    const known = this.database.trouble();
    if (known !== null) return [databaseItem(known)];
    if (!(failure instanceof StoreUnavailable)) return [];
    return [databaseItem({ detail: failure.reason, since: null })];
  }

  /** The view before the first reading: lower bounds of 0, or the error of a busy service. */
  private nothingRead(failure: Error | null): View {
    if (failure instanceof StoreBusy) throw failure;
    const inFlight = { count: 0, isMore: true, sums: [], otherTokens: 0 };
    const payments = { count: 0, isMore: true };
    return { checkedAt: this.clock.now(), payments, items: [], inFlight, replicas: [] };
  }

  private async readNow(): Promise<View> {
    const reading = await this.reader.read();
    const { checkedAt, needs, inFlight, replicas } = reading;
    this.last = {
      checkedAt,
      payments: needs.all,
      items: itemsOf(reading),
      inFlight,
      ...(await this.reader.proofsOfLastDay()),
      ...(await this.reader.firstSteps(reading)),
      replicas: replicas.map(
        ({ providers: _providers, settings: _settings, troubles: _troubles, rpcs: _rpcs, ...replica }) =>
          replica,
      ),
    };
    return this.last;
  }
}

/** During the first steps a person waits, and there is little to read, even on a busy machine. */
function timesReading({ firstSteps }: View): number {
  return firstSteps === undefined ? TIMES_READING : 0;
}
