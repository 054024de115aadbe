import type { PaybellService } from '../testkit/paybell-process.ts';
import type { Ledger } from './ledger.ts';

const PAGE = 500;
const READ_EVERY_MS = 300;
/** This many refusals of one page in a row count as a fault. */
const MAX_REFUSED = 100;
const REQUEST_MS = 5_000;
/** A stream sends a comment every 15 s: a longer silence means a dead connection. */
const SILENCE_MS = 17_000;

interface Page {
  readonly data: readonly unknown[];
  readonly nextCursor: string | null;
}

/** Returns the next replica to ask, a different one each time. */
export type NextReplica = () => Pick<PaybellService, 'fetch'>;

/** A consumer of the event feed that stores its cursor together with the events. */
export class FeedReader {
  private cursor: string | null = null;
  private isOver = false;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly replica: NextReplica,
    private readonly onEvent: (body: string) => void,
  ) {}

  start(): void {
    this.reading = this.read();
  }

  async close(): Promise<void> {
    this.isOver = true;
    await this.reading;
  }

  /** Reads one page from the cursor on; returns the number of its events. */
  async readPage(): Promise<number> {
    const after = this.cursor === null ? '' : `&after=${encodeURIComponent(this.cursor)}`;
    const answer = await this.replica().fetch(`/api/events?limit=${PAGE}${after}`, {
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    if (!answer.ok) throw new Error(`the feed answered ${answer.status}: ${await answer.text()}`);
    const { data, nextCursor } = (await answer.json()) as Page;
    for (const event of data) this.onEvent(JSON.stringify(event));
    this.cursor = nextCursor;
    return data.length;
  }

  private async read(): Promise<void> {
    while (!this.isOver) {
      const count = await this.readPage().catch(() => 0);
      if (count < PAGE) await sleep(READ_EVERY_MS);
    }
  }
}

/** Reads the whole log from its beginning. Repeats a refused page when the refusal says so. */
export async function readLog(replica: NextReplica): Promise<string[]> {
  const bodies: string[] = [];
  const reader = new FeedReader(replica, (body) => bodies.push(body));
  for (let refused = 0; ;) {
    try {
      if ((await reader.readPage()) === 0) return bodies;
      refused = 0;
    } catch (error) {
      refused += 1;
      if (refused === MAX_REFUSED) throw error;
      await sleep(READ_EVERY_MS);
    }
  }
}

/** A client of the event stream that reconnects with the last id whenever its stream ends. */
export class StreamClient {
  private lastId: string | null = null;
  private readonly end = new AbortController();
  private following: Promise<void> | null = null;
  private onOpen: () => void = () => undefined;

  constructor(
    private readonly replica: NextReplica,
    private readonly ledger: Ledger,
  ) {}

  /** Resolves when the first stream is open, which brings all later events. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.onOpen = resolve;
      this.following = this.follow();
    });
  }

  async close(): Promise<void> {
    this.end.abort();
    await this.following;
  }

  private async follow(): Promise<void> {
    while (!this.end.signal.aborted) {
      await this.once().catch(() => undefined);
      await sleep(READ_EVERY_MS);
    }
  }

  private async once(): Promise<void> {
    const silence = new AbortController();
    let watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      const answer = await this.replica().fetch('/api/events/stream', {
        headers: this.lastId === null ? {} : { 'last-event-id': this.lastId },
        signal: AbortSignal.any([this.end.signal, silence.signal]),
      });
      if (!answer.ok || answer.body === null) return;
      this.onOpen();
      let unread = '';
      for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
        clearTimeout(watchdog);
        watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
        const blocks = (unread + chunk).split('\n\n');
        unread = blocks.pop() ?? '';
        for (const block of blocks) this.take(block);
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  private take(block: string): void {
    const fields = block.split('\n').map((line) => /^([a-z]+): ?(.*)$/.exec(line));
    const data = fields.flatMap((field) => (field?.[1] === 'data' ? (field[2] ?? '') : []));
    const id = fields.find((field) => field?.[1] === 'id')?.[2];
    if (data.length > 0) this.ledger.book('stream', data.join('\n'));
    if (id !== undefined && id !== '') this.lastId = id;
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
