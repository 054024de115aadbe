/** An event that this process has seen committed: one of these at least, where it is not known which. */
export interface StoredEvents {
  readonly ids: readonly string[];
  /** The epoch in which it was committed, or was still there. */
  readonly epoch: number;
}

type Noted = StoredEvents & { readonly at: number };

/** Answers overtake each other by no more than there are connections. */
const KEPT = 16;
/** Retention removes no event as young as this, and older ones say nothing that a committed beat does not say. */
const YOUNG_MS = 60_000;

/** The events that this process knows to be committed: a database that lacks one of them went back. */
export class KnownEvents {
  /** The epoch that this process knows; null before its first check. */
  epoch: number | null = null;
  private readonly recorded: Noted[] = [];
  /** Kept apart: a backlog that is sent would push out what was just recorded. */
  private readonly read: Noted[] = [];

  noteRecorded(stored: StoredEvents): void {
    keep(this.recorded, [{ ...stored, at: performance.now() }]);
  }

  /** Events for consumers, the newest last: their recorder may have ended. `epoch` is the epoch that held before they were read. */
  noteRead(events: readonly { readonly id: string; readonly ageMs: number }[], epoch: number | null): void {
    if (epoch === null) return;
    const at = performance.now();
    const young = new Set(events.filter(({ ageMs }) => ageMs < YOUNG_MS).map(({ id }) => id));
    keep(
      this.read,
      [...young].slice(-KEPT).map((id) => ({ ids: [id], epoch, at })),
    );
  }

  /** Returns the events noted since, in the present epoch: an event of each group must be there. */
  since(at: number): (readonly string[])[] {
    const known = [...this.recorded, ...this.read];
    return known.filter((noted) => noted.epoch === this.epoch && noted.at >= at).map(({ ids }) => ids);
  }
}

function keep(list: Noted[], added: readonly Noted[]): void {
  list.push(...added);
  list.splice(0, list.length - KEPT);
}
