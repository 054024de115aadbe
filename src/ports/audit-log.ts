import type { Role } from '../domain/access/role.ts';

/** How a change was made: with an API key, from a session of the dashboard, or on the command line. */
export const AUDIT_WAYS = ['api', 'session', 'cli'] as const;
export type AuditWay = (typeof AUDIT_WAYS)[number];

/** The most characters of a name, an action or a target. */
export const MAX_AUDIT_TEXT = 200;

/** A change that is about to be made. */
export interface AuditedChange {
  /** The name of the API key; on the command line the name of the operating system's user. */
  readonly who: string;
  /** The key's role; null on the command line. */
  readonly role: Role | null;
  /** The client's address; null on the command line. */
  readonly address: string | null;
  readonly via: AuditWay;
  /** Such as `endpoint.create`. */
  readonly action: string;
  /** The id or name of the changed object; null while it has none. */
  readonly target: string | null;
  /** The values of the change, without secrets, at most some kilobytes. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface AuditEntry extends AuditedChange {
  readonly id: string;
  readonly time: Date;
  /** The HTTP status of the answer, or the exit status of the command; null: the process ended before it was known. */
  readonly status: number | null;
}

/** Each field narrows the list; `after` is inclusive, `before` is not. */
export interface AuditFilter {
  readonly who?: string;
  readonly action?: string;
  /** A UUID matches in any letter case. */
  readonly target?: string;
  readonly after?: Date;
  readonly before?: Date;
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** Who changed what, and when. Entries are only ever added. */
export abstract class AuditLog {
  /** Returns the entry's id once the entry is stored. Throws StoreUnavailable: then the change must not be made. */
  abstract begin(change: AuditedChange): Promise<string>;
  /** Adds the result, once; `target` counts if the entry has none yet, and `values` are added to the entry's own. */
  abstract finish(
    id: string,
    status: number,
    target?: string,
    values?: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** Adds the result of a change that was not made, once: the entry loses its values. */
  abstract refuse(id: string, status: number): Promise<void>;
  /** Withdraws an entry without a result: its change was refused, and is counted with others. */
  abstract withdraw(id: string): Promise<void>;
  /** Newest first. Throws InvalidCursor. */
  abstract list(filter: AuditFilter): Promise<{ entries: AuditEntry[]; nextCursor: string | null }>;
}
