import { isPaymentEvent, statedPredecessor, type PaybellEvent, type PaymentEvent } from './events.ts';
import type { InboxStore, Ledger } from './inbox-store.ts';

const ON_GAP: ReadonlySet<unknown> = new Set(['hold', 'report', 'ignore']);
/** As Paybell's own WEBHOOK_LANE_PATIENCE_SECONDS. */
const PATIENCE_MS = 15 * 60_000;

/**
 * The outcome of an event. `handled`: the handler was called. `duplicate`: the event, or another completion of its payment,
 * was handled before. `held`: the event waits for an earlier one, which a completion never does. `gap`: the handler was
 * called, though an earlier event is missing. `outdated`: the handler is not called, since the payment is completed, or
 * Paybell's database went back and published the event anew. `ignored`: the event is not about a payment.
 */
export type InboxOutcome = 'handled' | 'duplicate' | 'held' | 'gap' | 'outdated' | 'ignored';

/** How an inbox treats an event whose number shows that an earlier one is missing. */
export interface InboxOptions {
  /**
   * `hold`, the default: the event waits for the missing one, unless it is a completion. `report`: the event is handled with
   * the outcome `gap`. `ignore`: the event is handled with the outcome `handled`, for an endpoint that subscribes to some
   * types only.
   */
  readonly onGap?: 'hold' | 'report' | 'ignore';
  /** Called with each event that is held, by default to write a line to the log with `console.warn`. */
  readonly onHeld?: (event: PaymentEvent) => void;
}

/** Does your system's work for an event. All writes through `tx` are committed together with the event's id, or none is. */
export type Handler<Tx> = (event: PaymentEvent, tx: Tx) => Promise<void> | void;

/** Handles each event once, and the events of a payment in order, however often and in whichever way they arrive. */
export class Inbox<Tx> {
  private readonly onGap: NonNullable<InboxOptions['onGap']>;
  private readonly onHeld: NonNullable<InboxOptions['onHeld']>;

  constructor(
    private readonly store: InboxStore<Tx>,
    { onGap = 'hold', onHeld = warnOfHeld }: InboxOptions = {},
  ) {
    if (typeof (store as Partial<InboxStore<Tx>> | undefined)?.exclusively !== 'function')
      throw new TypeError(
        'An Inbox needs a store: new Inbox(postgresStore(pool)) or new Inbox(memoryStore()).',
      );
    if (!ON_GAP.has(onGap)) throw new TypeError("onGap is 'hold', 'report' or 'ignore'.");
    this.onGap = onGap;
    this.onHeld = onHeld;
  }

  /**
   * Handles an event, and then the held ones that waited for it. Acknowledge the event once the promise resolves. It rejects
   * with the handler's error; the event then counts as not handled and must come again.
   */
  async process(event: PaybellEvent, handler: Handler<Tx>): Promise<InboxOutcome> {
    if (!isPaymentEvent(event)) return 'ignored';
    const { outcome, isNextHeld } = await this.store.exclusively(event.subject, async (ledger, tx) => {
      const outcome = await this.take(event, handler, ledger, tx);
      return { outcome, isNextHeld: this.onGap === 'hold' && (await nextHeld(ledger)) !== null };
    });
    if (outcome === 'held') this.onHeld(event);
    if (isNextHeld) await this.release(event.subject, handler);
    return outcome;
  }

  /**
   * Handles the events that have been held for longer than `patienceMs`, by default 15 minutes, though earlier ones are
   * missing, and returns their number: call it once a minute. After it has tried every payment, it rejects with an
   * AggregateError of the handler's errors.
   */
  async releaseHeld(handler: Handler<Tx>, patienceMs: number = PATIENCE_MS): Promise<number> {
    let released = 0;
    const failed = new Map<string, unknown>();
    // Runs in rounds: a payment may have more than one gap.
    for (let isMore = true; isMore;) {
      isMore = false;
      for await (const payment of this.heldPayments(patienceMs)) {
        if (failed.has(payment)) continue;
        isMore = true;
        try {
          await this.store.exclusively(payment, skipGap);
          released += await this.release(payment, handler);
        } catch (error) {
          failed.set(payment, error);
        }
      }
    }
    if (failed.size > 0) throw new AggregateError(failed.values(), 'Some held events could not be handled.');
    return released;
  }

  private async *heldPayments(patienceMs: number): AsyncGenerator<string> {
    let page = await this.store.heldFor(patienceMs);
    for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
      yield* page;
      page = await this.store.heldFor(patienceMs, last);
    }
  }

  private async take(
    event: PaymentEvent,
    handler: Handler<Tx>,
    ledger: Ledger,
    tx: Tx,
  ): Promise<InboxOutcome> {
    const found = await ledger.find(event.id);
    if (found === 'handled' || (await isSecondCompletion(event, ledger))) {
      // After the database went back, a completion may come under another number: no event may wait for its old number.
      if (isCompletion(event) && event.data.sequence > ledger.through) await ledger.settle(event);
      return 'duplicate';
    }

    const isEarly = !follows(event, ledger);
    if (isEarly && this.onGap === 'hold' && !isCompletion(event)) {
      if (found === null) await ledger.hold(event);
      return 'held';
    }
    const isHandled = await handleUnlessOutdated(event, handler, ledger, tx);
    if (!isHandled) return 'outdated';
    return isEarly && this.onGap === 'report' ? 'gap' : 'handled';
  }

  /** Each event has a transaction of its own: a failing event does not undo those before it. */
  private async release(payment: string, handler: Handler<Tx>): Promise<number> {
    let released = 0;
    while (await this.store.exclusively(payment, (ledger, tx) => releaseNext(ledger, handler, tx)))
      released += 1;
    return released;
  }
}

async function skipGap(ledger: Ledger): Promise<void> {
  const first = await ledger.firstHeld();
  if (first !== null) await ledger.skipTo(first.data.sequence);
}

async function releaseNext<Tx>(ledger: Ledger, handler: Handler<Tx>, tx: Tx): Promise<boolean> {
  const next = await nextHeld(ledger);
  if (next === null) return false;
  await handleUnlessOutdated(next, handler, ledger, tx);
  return true;
}

async function handleUnlessOutdated<Tx>(
  event: PaymentEvent,
  handler: Handler<Tx>,
  ledger: Ledger,
  tx: Tx,
): Promise<boolean> {
  const isCurrent = !(await isOutdated(event, ledger));
  if (isCurrent) await handler(event, tx);
  // A completion wins over all earlier events, so nothing waits for them any more.
  if (isCompletion(event) && !follows(event, ledger)) await ledger.skipTo(event.data.sequence);
  await ledger.settle(event);
  return isCurrent;
}

/**
 * COMPLETED wins: once a completion was handled, no event of an earlier status is. An anomaly changes no status, and may
 * explain missing money. A first completion is never outdated.
 */
async function isOutdated(event: PaymentEvent, ledger: Ledger): Promise<boolean> {
  if (isCompletion(event)) return false;
  const isOfStatus = event.data.status !== 'COMPLETED' && event.type !== 'payment.anomaly';
  if (isOfStatus && (await ledger.isCompleted())) return true;
  return event.data.sequence <= ledger.through && ledger.isPassedOver(event.data.sequence);
}

/** A payment is completed once, for ever: another `payment.completed` of it is ignored, whatever its id and number. */
async function isSecondCompletion(event: PaymentEvent, ledger: Ledger): Promise<boolean> {
  return isCompletion(event) && (await ledger.isCompleted());
}

function warnOfHeld({ id, type, subject, data }: PaymentEvent): void {
  // oxlint-disable-next-line no-console -- the log of the program that uses this, unless it gives `onHeld`
  console.warn(
    `paybell-client holds ${type} ${id}: an event of ${subject} before its number ${data.sequence} is missing.`,
  );
}

function isCompletion({ type }: PaymentEvent): boolean {
  return type === 'payment.completed';
}

/** True for an event that no number is missing before. */
function follows(event: PaymentEvent, { through }: Ledger): boolean {
  return (statedPredecessor(event) ?? event.data.sequence - 1) <= through;
}

/** The held event with the lowest number, or another one whose `previousSequence` lets it go first; null: both wait. */
async function nextHeld(ledger: Ledger): Promise<PaymentEvent | null> {
  const first = await ledger.firstHeld();
  if (first === null || follows(first, ledger)) return first;
  const jump = await ledger.firstHeldJump();
  return jump !== null && follows(jump, ledger) ? jump : null;
}
