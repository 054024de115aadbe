export type CheckOutcome = 'ok' | 'differs' | 'not tried';

export interface CheckLine {
  readonly check: string;
  readonly outcome: CheckOutcome;
  /** True when Paybell can't work, or could lose money, without it. */
  readonly isEssential: boolean;
  readonly detail: string;
}

const UNPRINTABLE = /(?:[^\x21-\x7e\u00a1-\uffff])+/g;
const MAX_DETAIL_LENGTH = 300;

/** The results of a provider check, in order, without secrets and without control characters. */
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

/** The text for a terminal: a line for each check, and a last line with the overall result. */
export function asText({ lines, isGood }: CheckList, provider: string): string {
  const width = Math.max(...lines.map(({ check }) => check.length));
  const rows = lines.map(({ check, outcome, isEssential, detail }) => {
    const flag = isEssential && outcome !== 'ok' ? '!' : ' ';
    return `${flag} ${outcome.padEnd('not tried'.length)}  ${check.padEnd(width)}  ${detail}\n`;
  });
  const summary = isGood
    ? `${provider}: everything essential is as expected.`
    : `${provider}: the essential checks marked with ! are not as expected.`;
  return `${rows.join('')}\n${summary}\n`;
}

export function asJson({ lines, isGood }: CheckList, provider: string): string {
  const checks = lines.map(({ check, outcome, isEssential, detail }) => ({
    check,
    outcome,
    essential: isEssential,
    detail,
  }));
  return `${JSON.stringify({ provider, ok: isGood, checks }, null, 2)}\n`;
}
