import type { EventEmitter } from 'node:events';

import type { DataSource } from 'typeorm';

import type { Clock } from '../../ports/clock.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import type { DatabaseTrouble } from '../../ports/readiness.ts';
import { codeOf } from './connection-errors.ts';
import { failureWords } from './failure-words.ts';

/** SQLSTATE class 53, insufficient resources: too many connections, disk full, out of memory. */
const SCARCE = /^53/;
/** A refusal that does not come again within this time is over. */
const FORGOTTEN_AFTER_MS = 30_000;

/** Remembers the resource for which the server lately refused a request while it answered other requests. */
export class RecentRefusals {
  private last: { readonly detail: string; readonly since: Date; at: number } | null = null;

  constructor(private readonly clock: Clock) {}

  /** Includes refusals within the pool that no caller saw. */
  static of({ options }: DataSource, clock: Clock): RecentRefusals {
    const recent = new RecentRefusals(clock);
    const { refusals } = (options as { extra?: { refusals?: EventEmitter } }).extra ?? {};
    refusals?.on('refused', (cause: Error) =>
      recent.note(new StoreUnavailable({ cause, reason: failureWords(cause) })),
    );
    return recent;
  }

  note({ cause, reason }: StoreUnavailable): void {
    if (!SCARCE.test(codeOf(cause))) return;
    const at = performance.now();
    if (this.present?.detail === reason && this.last !== null) this.last.at = at;
    else this.last = { detail: reason, since: this.clock.now(), at };
  }

  /** Null: nothing was refused lately. */
  get present(): DatabaseTrouble | null {
    if (this.last === null || performance.now() - this.last.at > FORGOTTEN_AFTER_MS) return null;
    return { detail: this.last.detail, since: this.last.since };
  }
}
