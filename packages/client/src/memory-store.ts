import { statedPredecessor, type PaymentEvent } from './events.ts';
import type { InboxStore, Ledger } from './inbox-store.ts';

const MAX_PAYMENTS = 10_000;

/** Bounds the memory of a store. */
export interface MemoryStoreOptions {
  /**
   * The most payments that are kept, by default 10,000. Beyond it, the payment without an event for the longest time is
   * forgotten.
   */
  readonly maxPayments?: number;
}

/** Makes an inbox's store in the memory of one process, which ends with the process. */
export function memoryStore({ maxPayments = MAX_PAYMENTS }: MemoryStoreOptions = {}): InboxStore<undefined> {
  if (!Number.isInteger(maxPayments) || maxPayments < 1)
    throw new TypeError('maxPayments is a whole number from 1.');
  return new MemoryStore(maxPayments);
}

class MemoryStore implements InboxStore<undefined> {
  /** The payment without an event for the longest time comes first. */
  private readonly ledgers = new Map<string, MemoryLedger>();

  constructor(private readonly maxPayments: number) {}

  async exclusively<Result>(
    payment: string,
    work: (ledger: Ledger, tx: undefined) => Promise<Result>,
  ): Promise<Result> {
    const ledger = this.ledgers.get(payment) ?? new MemoryLedger();
    this.ledgers.delete(payment);
    this.ledgers.set(payment, ledger);
    try {
      return await ledger.inTurn(() => work(ledger, undefined));
    } finally {
      this.forgetQuiet();
    }
  }

  async heldFor(patienceMs: number, after = ''): Promise<readonly string[]> {
    const before = Date.now() - patienceMs;
    return [...this.ledgers]
      .filter(([payment, ledger]) => payment > after && ledger.isHoldingSince(before))
      .map(([payment]) => payment)
      .toSorted();
  }

  private forgetQuiet(): void {
    for (const [payment, ledger] of this.ledgers) {
      if (this.ledgers.size <= this.maxPayments) return;
      if (!ledger.isBusy && !ledger.isHolding) this.ledgers.delete(payment);
    }
  }
}

class MemoryLedger implements Ledger {
  through = 0;
  private hasCompleted = false;
  private readonly handled = new Set<string>();
  /** Each handled number, with the `previousSequence` that its event states. */
  private readonly numbers = new Map<number, number | null>();
  private readonly held = new Map<string, { readonly event: PaymentEvent; readonly at: number }>();
  private turns = 0;
  private last: Promise<unknown> = Promise.resolve();

  get isBusy(): boolean {
    return this.turns > 0;
  }

  /** A held event was acknowledged already: Paybell would not send it again. */
  get isHolding(): boolean {
    return this.held.size > 0;
  }

  /** After all that asked before. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.turns += 1;
    const turn = this.last.then(work);
    this.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.turns -= 1;
    }
  }

  isHoldingSince(before: number): boolean {
    return [...this.held.values()].some(({ at }) => at <= before);
  }

  async find(id: string): Promise<'handled' | 'held' | null> {
    if (this.handled.has(id)) return 'handled';
    return this.held.has(id) ? 'held' : null;
  }

  async isCompleted(): Promise<boolean> {
    return this.hasCompleted;
  }

  async isPassedOver(number: number): Promise<boolean> {
    return [...this.numbers].some(
      ([sequence, previous]) => previous !== null && previous < number && number < sequence,
    );
  }

  async firstHeld(): Promise<PaymentEvent | null> {
    return this.heldInOrderOf(({ data }) => data.sequence);
  }

  async firstHeldJump(): Promise<PaymentEvent | null> {
    return this.heldInOrderOf(statedPredecessor);
  }

  async hold(event: PaymentEvent): Promise<void> {
    this.held.set(event.id, { event, at: Date.now() });
  }

  async settle(event: PaymentEvent): Promise<void> {
    this.numbers.set(event.data.sequence, statedPredecessor(event));
    this.held.delete(event.id);
    this.handled.add(event.id);
    this.hasCompleted ||= event.type === 'payment.completed';
    this.advance();
  }

  async skipTo(sequence: number): Promise<void> {
    this.through = Math.max(this.through, sequence - 1);
  }

  private advance(): void {
    for (const [sequence, previous] of [...this.numbers].toSorted(([a], [b]) => a - b))
      if (sequence > this.through && (previous ?? sequence - 1) <= this.through) this.through = sequence;
  }

  /** The first held event by `place`, which is null for an event without a place; null: there is none. */
  private heldInOrderOf(place: (event: PaymentEvent) => number | null): PaymentEvent | null {
    const placed = [...this.held.values()].flatMap(({ event }) => {
      const at = place(event);
      return at === null ? [] : [{ event, at }];
    });
    return placed.toSorted((a, b) => a.at - b.at)[0]?.event ?? null;
  }
}
