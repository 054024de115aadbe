import { unavailable, type Silence, type StatusPage, type Wanted } from './status-page.ts';
import type { StatusQuestions } from './status-questions.ts';

const MAX_PAGES = 3;

/** How far a question was answered. */
export type Reach =
  /** There is nothing more. */
  | 'whole'
  /** There is more than was read. */
  | 'cut'
  | Silence;

/** Asks a question to its end, page by page, in whatever form Relay takes it. */
export class StatusPages {
  private count = 0;

  constructor(
    private readonly questions: StatusQuestions,
    private readonly signal: AbortSignal | undefined,
    private readonly onPage: (page: StatusPage) => void,
  ) {}

  /** How many requests were made. */
  get asked(): number {
    return this.count;
  }

  /** Without `statuses`, whatever they are. */
  async ask(wanted: Wanted, statuses: readonly string[] | null = null): Promise<Reach> {
    let all: Reach = 'whole';
    for (const together of this.questions.splitOf(wanted)) {
      const reach = await this.askPages(together, statuses);
      if (reach === 'form_refused') return this.ask(wanted, statuses);
      if (isSilence(reach)) return reach;
      if (reach === 'cut') all = 'cut';
    }
    return all;
  }

  private async askPages(
    wanted: Wanted,
    statuses: readonly string[] | null,
  ): Promise<Reach | 'form_refused'> {
    let continuation: string | null = null;
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      if (this.signal?.aborted === true) return unavailable('stopping', null);
      this.count += 1;
      const answer = await this.questions.ask(wanted, statuses, continuation);
      if (answer === 'form_refused' || answer.kind !== 'page') return answer;
      this.onPage(answer);
      continuation = answer.continuation;
      if (continuation === null) return 'whole';
    }
    return 'cut';
  }
}

export function isSilence(reach: Reach): reach is Silence {
  return typeof reach !== 'string';
}
