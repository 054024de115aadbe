import type { EventType } from '../../domain/event/event.ts';

/** The event types that the broker has refused (nack), until it takes one of the type, or refuses none for a while. */
export class RefusedTypes {
  private readonly refused = new Map<EventType, { readonly since: Date; readonly until: number }>();

  constructor(
    private readonly rememberForMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  note(type: EventType): void {
    const since = this.present(type)?.since ?? new Date();
    this.refused.set(type, { since, until: this.nowMs() + this.rememberForMs });
  }

  forget(type: EventType): void {
    this.refused.delete(type);
  }

  types(): EventType[] {
    return [...this.refused.keys()].filter((type) => this.present(type) !== undefined);
  }

  /** Since when one of them is refused; null: none is. */
  since(): Date | null {
    const times = this.types().map((type) => this.present(type)?.since.getTime() ?? Infinity);
    return times.length === 0 ? null : new Date(Math.min(...times));
  }

  private present(type: EventType) {
    const found = this.refused.get(type);
    return found !== undefined && found.until > this.nowMs() ? found : undefined;
  }
}
