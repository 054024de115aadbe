import type { PaymentEvent } from './events.ts';

/** Reads and writes what an inbox knows of one payment, under a lock that keeps all others out. */
export interface Ledger {
  /** Every event up to this number was handled, or is no longer waited for. */
  readonly through: number;
  /** The outcome of an event that was handled or is held; null: the event is new. */
  find(id: string): Promise<'handled' | 'held' | null>;
  /** True once a `payment.completed` of this payment was handled, whatever its id. */
  isCompleted(): Promise<boolean>;
  /**
   * True for a number that a handled event passed over: the event's own number is higher, and the `previousSequence` that it
   * states is lower.
   */
  isPassedOver(sequence: number): Promise<boolean>;
  /** The held event with the lowest number; null: no event is held. */
  firstHeld(): Promise<PaymentEvent | null>;
  /** The held event whose `previousSequence` is the lowest, of those that state one; null: there is none. */
  firstHeldJump(): Promise<PaymentEvent | null>;
  /** Keeps the event until the earlier ones were handled. */
  hold(event: PaymentEvent): Promise<void>;
  /**
   * Records that the event needs no more handling, under its number and under any earlier number that it had. `through` then
   * moves over consecutive numbers and over those that the event passed over.
   */
  settle(event: PaymentEvent): Promise<void>;
  /** Waits no longer for events before this number. */
  skipTo(sequence: number): Promise<void>;
}

/** Stores the events that an inbox has seen. A handler writes in the same transaction through `Tx`. */
export interface InboxStore<Tx> {
  /** Works on one payment under a lock. All writes stand if `work` resolves; none stands if it rejects. */
  exclusively<Result>(payment: string, work: (ledger: Ledger, tx: Tx) => Promise<Result>): Promise<Result>;

  /**
   * Lists payments whose events have been held for longer than `patienceMs`, in a stable order, after `after` or from the
   * first one. An empty list: there are no more.
   */
  heldFor(patienceMs: number, after?: string): Promise<readonly string[]>;
}
