import { URGENCY_NAMES, type UrgencyClass } from '../../../src/domain/polling/urgency.ts';
import { Heap } from '../heap.ts';

interface Scheduled {
  readonly dueAt: number;
  readonly urgency: UrgencyClass;
}

interface Place<Row> extends Scheduled {
  readonly row: Row;
}

/** Rows in the order of their due times, with one queue for each urgency. A moved row leaves its old places behind. */
export class DueQueue<Row extends Scheduled> {
  private readonly heaps = URGENCY_NAMES.map(() => new Heap<Place<Row>>());

  constructor(private readonly isScheduled: (row: Row) => boolean) {}

  /** Call it whenever the row's due time or urgency has changed. */
  place(row: Row): void {
    const { dueAt, urgency } = row;
    this.heaps[urgency]?.add(dueAt, { row, dueAt, urgency });
  }

  /** Infinity: none. */
  get firstDueAt(): number {
    return Math.min(...this.heaps.map((heap) => this.first(heap)?.dueAt ?? Number.POSITIVE_INFINITY));
  }

  /** Takes the row that is due and whose due time plus the slack of its urgency comes first. */
  takeDue(now: number, slackMs: readonly number[]): Row | null {
    let next: Place<Row> | undefined;
    let nextAt = Number.POSITIVE_INFINITY;
    for (const heap of this.heaps) {
      const place = this.first(heap);
      if (place === undefined || place.dueAt > now) continue;
      const at = place.dueAt + (slackMs[place.urgency] ?? 0);
      if (at < nextAt) [next, nextAt] = [place, at];
    }
    if (next === undefined) return null;
    this.heaps[next.urgency]?.take();
    return next.row;
  }

  private first(heap: Heap<Place<Row>>): Place<Row> | undefined {
    for (let place = heap.peek(); place !== undefined; place = heap.peek()) {
      const { row, dueAt, urgency } = place;
      if (row.dueAt === dueAt && row.urgency === urgency && this.isScheduled(row)) return place;
      heap.take();
    }
    return undefined;
  }
}
