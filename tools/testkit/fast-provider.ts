import { type Answer, FastServer } from './fast-server.ts';

/** After a pause of the machine, the provider does not make up for all missed changes in one burst. */
const MAX_DUE_CHANGES = 20;
/** The number of different lengths, evenly spread. */
const DELAYS = 11;
const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n';

export interface FastProviderOptions {
  /** The number of moves after which a payment has ended. */
  readonly lastStep: number;
  /** The status object of a payment that has moved `step` times, at this time of `process.hrtime`. */
  readonly report: (quoteId: string, step: number, changedAtNs: string) => string;
  /** The number of moves of a payment before the provider's start; left out: none. */
  readonly firstStep?: (quoteId: string) => number;
  /** The JSON answer to requests other than polls, such as quotes; null: 404. */
  readonly other?: (path: string) => string | null;
}

/** A provider that answers as fast as it can, and whose payments move at a steady rate. */
export class FastProvider {
  polls = 0;
  changes = 0;
  /** The time from a poll's arrival to its answer. */
  delayMs = 0;
  /** The share by which the delay varies, upwards and downwards. */
  delaySpread = 0;
  /** Milliseconds between two polls of a payment, since `watch`. */
  gaps: number[] = [];
  private server: FastServer | null = null;
  private changesPerS = 0;
  private dueChanges = 0;
  private countedAt = 0;
  private readonly moved = new Map<string, { readonly step: number; readonly text: string }>();
  /** When each payment was last polled; null before `watch`. */
  private polledAt: Map<string, number> | null = null;

  private constructor(private readonly options: FastProviderOptions) {}

  static async start(options: FastProviderOptions): Promise<FastProvider> {
    const provider = new FastProvider(options);
    provider.server = await FastServer.start(({ path }, answer) => provider.receive(path, answer));
    return provider;
  }

  get url(): string {
    return this.server?.url ?? '';
  }

  /** How many payments were polled since `watch`. */
  get watched(): number {
    return this.polledAt?.size ?? 0;
  }

  /** 0: no payment moves; Infinity: one moves at each poll. */
  changeAtRate(changesPerS: number): void {
    this.changesPerS = changesPerS;
    this.dueChanges = 0;
    this.countedAt = performance.now();
  }

  /** Measures gaps from now on, and forgets the earlier ones. */
  watch(): void {
    this.polledAt = new Map();
    this.gaps = [];
  }

  private receive(path: string, answer: Answer): void {
    if (!path.includes('/status/')) return answerOther(this.options.other?.(path) ?? null, answer);
    const quoteId = path.slice(path.lastIndexOf('/') + 1);
    this.note(quoteId);
    if (this.delayMs === 0) this.respond(quoteId, answer);
    else setTimeout(() => this.respond(quoteId, answer), this.nextDelayMs());
  }

  /** Node keeps timers of one length in one list; a few lists cost next to nothing. */
  private nextDelayMs(): number {
    const share = ((this.polls % DELAYS) / (DELAYS - 1)) * 2 - 1;
    return this.delayMs * (1 + share * this.delaySpread);
  }

  private note(quoteId: string): void {
    this.polls += 1;
    if (this.polledAt === null) return;
    const now = performance.now();
    const before = this.polledAt.get(quoteId);
    if (before !== undefined) this.gaps.push(now - before);
    this.polledAt.set(quoteId, now);
  }

  private respond(quoteId: string, answer: Answer): void {
    answer(okOf(this.reportOf(quoteId)));
  }

  private reportOf(quoteId: string): string {
    const { lastStep, report, firstStep } = this.options;
    const known = this.moved.get(quoteId) ?? { step: firstStep?.(quoteId) ?? 0, text: '' };
    if (known.step >= lastStep || !this.mayChange())
      return known.text === '' ? report(quoteId, known.step, '0') : known.text;
    const step = known.step + 1;
    const text = report(quoteId, step, String(process.hrtime.bigint()));
    this.moved.set(quoteId, { step, text });
    this.changes += 1;
    return text;
  }

  private mayChange(): boolean {
    if (this.changesPerS === 0 || this.changesPerS === Infinity) return this.changesPerS > 0;
    const now = performance.now();
    this.dueChanges += ((now - this.countedAt) * this.changesPerS) / 1_000;
    this.dueChanges = Math.min(this.dueChanges, MAX_DUE_CHANGES);
    this.countedAt = now;
    if (this.dueChanges < 1) return false;
    this.dueChanges -= 1;
    return true;
  }
}

function answerOther(text: string | null, answer: Answer): void {
  answer(text === null ? NOT_FOUND : okOf(text));
}

function okOf(text: string): string {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`;
  return `${head}\r\n\r\n${text}`;
}
