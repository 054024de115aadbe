import { spellingsOf } from '../../../src/domain/payment/reading.ts';
import type { AuditedChange, AuditEntry, AuditFilter } from '../../../src/ports/audit-log.ts';
import { AuditLog } from '../../../src/ports/audit-log.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { InvalidCursor } from '../../../src/ports/payments.ts';

/** The audit log in memory. */
export class FakeAuditLog extends AuditLog {
  readonly entries: AuditEntry[] = [];
  private lastId = 0;

  constructor(private readonly clock: Clock) {
    super();
  }

  override async begin(change: AuditedChange): Promise<string> {
    const id = String((this.lastId += 1));
    this.entries.push({ ...change, id, time: this.clock.now(), status: null });
    return id;
  }

  override async finish(id: string, status: number, target?: string, added: object = {}): Promise<void> {
    this.end(id, (entry) => ({
      status,
      target: entry.target ?? target ?? null,
      values: { ...added, ...entry.values },
    }));
  }

  override async refuse(id: string, status: number): Promise<void> {
    this.end(id, () => ({ status, values: {} }));
  }

  private end(id: string, resultOf: (entry: AuditEntry) => Partial<AuditEntry>): void {
    const at = this.entries.findIndex((entry) => entry.id === id && entry.status === null);
    const entry = this.entries[at];
    if (entry !== undefined) this.entries[at] = { ...entry, ...resultOf(entry) };
  }

  override async withdraw(id: string): Promise<void> {
    const at = this.entries.findIndex((entry) => entry.id === id && entry.status === null);
    if (at >= 0) this.entries.splice(at, 1);
  }

  override async list(filter: AuditFilter): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
    const { cursor, limit } = filter;
    if (cursor !== undefined && !/^\d+$/.test(cursor)) throw new InvalidCursor();
    const chosen = this.entries
      .filter(
        (entry) => isChosen(entry, filter) && (cursor === undefined || Number(entry.id) < Number(cursor)),
      )
      .toReversed();
    const entries = chosen.slice(0, limit);
    return { entries, nextCursor: chosen.length > limit ? (entries.at(-1)?.id ?? null) : null };
  }
}

function isChosen(entry: AuditEntry, { who, action, target, after, before }: AuditFilter): boolean {
  return (
    (who === undefined || entry.who === who) &&
    (action === undefined || entry.action === action) &&
    (target === undefined || spellingsOf(target).includes(entry.target ?? '')) &&
    (after === undefined || entry.time >= after) &&
    (before === undefined || entry.time < before)
  );
}
