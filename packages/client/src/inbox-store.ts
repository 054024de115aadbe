import type { PaymentEvent } from './events.ts';

/** Reads and writes what an inbox knows of one payment, while nobody else may change it. */
export interface Ledger {
  /** Every event up to this number was handled, or is no longer waited for. */
  readonly through: number;
  /** What became of an event so far; null when it is new. */
  find(id: string): Promise<'handled' | 'held' | null>;
  /** True once a `payment.completed` of this payment was handled, whatever its id. */
  isCompleted(): Promise<boolean>;
  /** True for a number that a handled event passed over: it is higher, and the `previousSequence` it states is lower. */
  isPassedOver(sequence: number): Promise<boolean>;
  /** The held event with the lowest number; null without any. */
  firstHeld(): Promise<PaymentEvent | null>;
  /** The held event that passes over numbers from the lowest one, by its `previousSequence`; null without any. */
  firstHeldJump(): Promise<PaymentEvent | null>;
  /** Keeps the event until those before it were handled. */
  hold(event: PaymentEvent): Promise<void>;
  /**
   * Keeps that the event needs no handling any more, under this number and under another that it had before. `through`
   * moves over the numbers that follow each other, and over those that the event passed over.
   */
  settle(event: PaymentEvent): Promise<void>;
  /** Waits no longer for events before this number. */
  skipTo(sequence: number): Promise<void>;
}

/** Keeps what an inbox has seen. A handler writes in the same transaction through `Tx`. */
export interface InboxStore<Tx> {
  /** Works on one payment while nobody else does; all of it stands if `work` resolves, and nothing otherwise. */
  exclusively<Result>(payment: string, work: (ledger: Ledger, tx: Tx) => Promise<Result>): Promise<Result>;

  /**
   * The payments with events that have been held for longer than this, in an order that does not change: those after
   * `after`, from the first one without it. None: there are no more.
   */
  heldFor(patienceMs: number, after?: string): Promise<readonly string[]>;
}
