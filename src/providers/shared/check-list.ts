import { reasonOf } from '../../platform/outbound/exchange-reason.ts';

export type CheckOutcome = 'ok' | 'differs' | 'not tried';

export interface CheckLine {
  readonly check: string;
  readonly outcome: CheckOutcome;
  /** True when Paybell cannot work, or could lose money, without it. */
  readonly isEssential: boolean;
  readonly detail: string;
}

const UNPRINTABLE = /(?:[^\x21-\x7e\u00a1-\uffff])+/g;
const MAX_DETAIL_LENGTH = 300;

/** The results of a provider's check, in order, without secrets and without control characters. */
export class CheckList {
  readonly lines: CheckLine[] = [];

  constructor(private readonly secret: string | null = null) {}

  /** True when nothing essential differs. */
  get isGood(): boolean {
    return this.lines.every(({ isEssential, outcome }) => !isEssential || outcome === 'ok');
  }

  ok(check: string, detail: string, isEssential = false): void {
    this.add({ check, outcome: 'ok', isEssential, detail });
  }

  differs(check: string, detail: string, isEssential = false): void {
    this.add({ check, outcome: 'differs', isEssential, detail });
  }

  notTried(check: string, detail: string, isEssential = false): void {
    this.add({ check, outcome: 'not tried', isEssential, detail });
  }

  private add(line: CheckLine): void {
    const text = this.secret === null ? line.detail : line.detail.replaceAll(this.secret, '…');
    this.lines.push({ ...line, detail: text.replace(UNPRINTABLE, ' ').slice(0, MAX_DETAIL_LENGTH).trim() });
  }
}

/** `no answer: connection refused`: why a request of a check failed, without an address. */
export function noAnswer(error: unknown): string {
  const { name, cause } = error as { readonly name?: unknown; readonly cause?: unknown };
  return `no answer: ${name === 'TimeoutError' ? 'timeout' : reasonOf(cause)}`;
}

/** The requests that the command line sends to a provider, outside the service. None moves money. */
export interface ProviderCheck {
  /** Sends a request that only reads: does the provider answer, and accept the key? */
  reach(): Promise<CheckList>;
  /** Sends all requests. Some make quotes, which are never paid. */
  conform(): Promise<CheckList>;
}

/** `isWhole`: all requests, and not only those of `reach`. */
export function checkBy(check: (isWhole: boolean) => Promise<CheckList>): ProviderCheck {
  return { reach: () => check(false), conform: () => check(true) };
}
