/**
 * Events of one transaction that this process has seen committed. At least one of them exists; which one is not always
 * known.
 */
export interface StoredEvents {
  readonly ids: readonly string[];
  /** The epoch in which the events were committed, or were read again. */
  readonly epoch: number;
}

type Noted = StoredEvents & { readonly at: number };

/** Transactions can finish out of order, but by no more than the number of connections. */
const KEPT = 16;
/**
 * The process notes only events younger than this: retention never removes them, and a committed beat is proof enough for
 * older ones.
 */
const YOUNG_MS = 60_000;

/**
 * The events that this process knows to be committed. A database that lacks one of them has gone back to an earlier
 * state.
 */
export class KnownEvents {
  /** The epoch that this process knows; null before its first check. */
  epoch: number | null = null;
  private readonly recorded: Noted[] = [];
  /** A separate list: readers of a backlog would push the process's own events out. */
  private readonly read: Noted[] = [];

  noteRecorded(stored: StoredEvents): void {
    keep(this.recorded, [{ ...stored, at: performance.now() }]);
  }

  /**
   * Notes events that consumers read, the newest last: the process that recorded them may have ended. `epoch` is the
   * epoch that held before the read.
   */
  noteRead(events: readonly { readonly id: string; readonly ageMs: number }[], epoch: number | null): void {
    if (epoch === null) return;
    const at = performance.now();
    const young = new Set(events.filter(({ ageMs }) => ageMs < YOUNG_MS).map(({ id }) => id));
    keep(
      this.read,
      [...young].slice(-KEPT).map((id) => ({ ids: [id], epoch, at })),
    );
  }

  /**
   * Returns the groups of events noted since `at` in the present epoch: the database must have at least one event of
   * each group.
   */
  since(at: number): (readonly string[])[] {
    const known = [...this.recorded, ...this.read];
    return known.filter((noted) => noted.epoch === this.epoch && noted.at >= at).map(({ ids }) => ids);
  }
}

function keep(list: Noted[], added: readonly Noted[]): void {
  list.push(...added);
  list.splice(0, list.length - KEPT);
}
