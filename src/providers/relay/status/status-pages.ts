import { type NoAnswer, type StatusPage, type Wanted } from './status-page.ts';
import type { StatusQueries } from './status-queries.ts';

const MAX_PAGES = 3;

/** How much of a query's result was read. */
export type Reach =
  /** All pages. */
  | 'whole'
  /** There are more pages than MAX_PAGES. */
  | 'cut'
  | NoAnswer;

/** Reads all pages of a query, in a form that Relay accepts. */
export class StatusPages {
  private count = 0;

  constructor(
    private readonly queries: StatusQueries,
    private readonly onPage: (page: StatusPage) => void,
    private readonly onSent?: () => void,
  ) {}

  /** The number of requests that were sent. */
  get requests(): number {
    return this.count;
  }

  /** `statuses` null: requests with any status. */
  async readAll(wanted: Wanted, statuses: readonly string[] | null = null): Promise<Reach> {
    let all: Reach = 'whole';
    for (const together of this.queries.splitOf(wanted)) {
      const reach = await this.readPages(together, statuses);
      if (reach === 'form_refused') return this.readAll(wanted, statuses);
      if (isNoAnswer(reach)) return reach;
      if (reach === 'cut') all = 'cut';
    }
    return all;
  }

  private async readPages(
    wanted: Wanted,
    statuses: readonly string[] | null,
  ): Promise<Reach | 'form_refused'> {
    let continuation: string | null = null;
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      this.count += 1;
      const answer = await this.queries.send(wanted, statuses, continuation, this.onSent);
      if (answer === 'form_refused' || answer.kind !== 'page') return answer;
      this.onPage(answer);
      continuation = answer.continuation;
      if (continuation === null) return 'whole';
    }
    return 'cut';
  }
}

export function isNoAnswer(reach: Reach): reach is NoAnswer {
  return typeof reach !== 'string';
}
