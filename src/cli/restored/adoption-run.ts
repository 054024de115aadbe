import { NO_LABELS, type Adopted, type AdoptingClient, type OwnLabels } from './adopting-client.ts';
import { linesOf } from '../api/lines.ts';
import { mergePayments, readPaymentLine, type NamedPayment } from './payment-lines.ts';

export interface AdoptionResult {
  /** False when a line was unreadable, or a payment could not be submitted. */
  readonly isGood: boolean;
}

/** How many payments are collected before they are submitted, so that most repetitions cost no request. */
const WINDOW = 1_000;
const CONCURRENCY = 8;

/** The facts of a payment that are kept for the rest of the file. */
interface Done {
  readonly sequence: number;
  readonly hasQuote: boolean;
  readonly kind: Adopted['kind'];
  readonly own: OwnLabels;
}

/** Submits the payments that the lines of a stream name, each once, and reports the results. */
export class AdoptionRun {
  private readonly window = new Map<string, NamedPayment>();
  private readonly done = new Map<string, Done>();
  private readonly counts = { found: 0, known: 0, unknown: 0, removed: 0, failed: 0 };
  private lines = 0;
  private unreadable = 0;
  private withoutPayment = 0;

  constructor(
    private readonly client: Pick<AdoptingClient, 'adopt'>,
    private readonly print: (text: string) => void,
  ) {}

  /**
   * Prints the report even if the run ends early. Throws the error of AdoptingClient or the stream, with the line at which to
   * resume.
   */
  async run(stream: AsyncIterable<Uint8Array>): Promise<AdoptionResult> {
    try {
      for await (const bytes of linesOf(stream)) {
        this.lines += 1;
        this.take(bytes);
        if (this.window.size >= WINDOW) await this.flush();
      }
      await this.flush();
    } catch (error) {
      throw new Error(`${wordsOfError(error)} ${this.howToGoOn()}`, { cause: error });
    } finally {
      this.print(this.report());
    }
    return { isGood: this.unreadable + this.counts.failed === 0 };
  }

  private take(bytes: Uint8Array | null): void {
    const read = readPaymentLine(bytes, this.lines);
    if (read === null) return;
    if (read.kind === 'no_payment') this.withoutPayment += 1;
    else if (read.kind === 'unreadable') {
      this.unreadable += 1;
      this.print(`line ${this.lines}: ${read.reason}\n`);
    } else this.gather(read.payment);
  }

  private gather(payment: NamedPayment): void {
    const before = this.window.get(payment.quoteId);
    if (before !== undefined) this.window.set(payment.quoteId, mergePayments(before, payment));
    else if (isNews(payment, this.done.get(payment.quoteId))) this.window.set(payment.quoteId, payment);
  }

  private async flush(): Promise<void> {
    const payments = [...this.window.values()].values();
    const failures: Error[] = [];
    const work = async (): Promise<void> => {
      for (const payment of payments) {
        try {
          const own = this.done.get(payment.quoteId)?.own;
          this.settle(payment, await this.client.adopt(payment, own));
        } catch (error) {
          failures.push(error as Error);
        }
        if (failures.length > 0) return;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    const [failure] = failures;
    if (failure !== undefined) throw failure;
  }

  /** The rest of the file may say more about a payment that was refused; an accepted payment stays as it is. */
  private settle({ quoteId, line, sequence, quoteText }: NamedPayment, outcome: Adopted): void {
    const before = this.done.get(quoteId);
    this.window.delete(quoteId);
    const isTracked = before?.kind === 'found' || before?.kind === 'known';
    const kind = isTracked && outcome.kind !== 'failed' ? before.kind : outcome.kind;
    if (before !== undefined) this.counts[before.kind] -= 1;
    this.counts[kind] += 1;
    this.done.set(quoteId, {
      sequence: Math.max(sequence, before?.sequence ?? 0),
      hasQuote: quoteText !== null || before?.hasQuote === true,
      kind,
      own: 'own' in outcome ? outcome.own : (before?.own ?? NO_LABELS),
    });
    const words = wordsOf(outcome);
    if (words !== null) this.print(`line ${line}: ${quoteId} ${words}\n`);
  }

  private howToGoOn(): string {
    const line = Math.min(this.lines + 1, ...[...this.window.values()].map((payment) => payment.line));
    const rest = `tail -n +${line} FILE | npx paybell after-restore --from -`;
    return `It ended at line ${line}; the lines before it are done. Repeat the command, or go on with the rest: ${rest}`;
  }

  private report(): string {
    const { found, known, unknown, removed, failed } = this.counts;
    const rows: readonly (readonly [label: string, count: number])[] = [
      ['lines', this.lines],
      ['payments found again: tracked from now on', found],
      ['payments known before', known],
      ['unknown to the provider', unknown],
      ['removed before, after RETENTION_DAYS', removed],
      ['failed', failed],
      ['lines that could not be read', this.unreadable],
      ['lines about no payment', this.withoutPayment],
      ['payments known to be unknown: named above, and not tracked', unknown + failed],
    ];
    const width = Math.max(...rows.map(([label]) => label.length));
    return rows.map(([label, count]) => `${label.padEnd(width)}  ${count}\n`).join('');
  }
}

/** True if another request is worthwhile: for a quote, or the label of a newer event. */
function isNews({ orderId, metadata, quoteText, sequence }: NamedPayment, done: Done | undefined): boolean {
  if (done === undefined) return true;
  if (quoteText !== null && !done.hasQuote) return true;
  return (orderId !== null || metadata !== null) && sequence > done.sequence;
}

function wordsOf(outcome: Adopted): string | null {
  if ('own' in outcome)
    return outcome.keepsOther ? 'keeps its order id and metadata, which differ from those of the file' : null;
  if (outcome.kind === 'unknown') return 'is unknown to the provider';
  if (outcome.kind === 'removed') return 'was removed before, after RETENTION_DAYS: it is not tracked again';
  return outcome.kind === 'failed' ? `failed: ${outcome.reason}` : null;
}

/** A stream that is stopped by a signal throws an AbortError, with the reason as its cause. */
function wordsOfError(error: unknown): string {
  const { name, message, cause } = error as Error;
  return name === 'AbortError' && cause instanceof Error ? cause.message : message;
}
