import { Logger } from '@nestjs/common';

import type { RelayApi } from '../relay-api.ts';
import {
  readStatusPage,
  statusPath,
  type Silence,
  type StatusForm,
  type StatusPage,
  type Wanted,
} from './status-page.ts';

/** As documented; the others cost more, and are for the day that Relay refuses the first. */
const FORMS: readonly StatusForm[] = ['list', 'groups', 'single'];
const REFUSED_FOR_MS = 600_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Asks Relay about many requests, in the cheapest form that it takes. */
export class StatusQuestions {
  private readonly log = new Logger('Relay');
  /** How many forms Relay refuses, and until when that is taken to be so. */
  private readonly refused = { depositAddress: { forms: 0, until: 0 }, id: { forms: 0, until: 0 } };

  constructor(private readonly api: Pick<RelayApi, 'get'>) {}

  /** What one question can name together. */
  splitOf(wanted: Wanted): readonly Wanted[] {
    if (this.formOf(wanted) !== 'single') return [wanted];
    return wanted.values.map((value) => ({ ...wanted, values: [value] }));
  }

  /** `form_refused`: to be split and asked anew. */
  async ask(
    wanted: Wanted,
    statuses: readonly string[] | null,
    continuation: string | null,
  ): Promise<StatusPage | Silence | 'form_refused'> {
    const form = this.formOf(wanted);
    const path = statusPath({ wanted, statuses, continuation, form });
    const answer = await this.api.get(path, MAX_ANSWER_BYTES);
    const isRefused = answer.kind === 'error' && continuation === null && form !== 'single';
    if (!isRefused) return readStatusPage(answer);
    this.leave(wanted, form, answer.httpStatus);
    return 'form_refused';
  }

  private formOf({ by }: Wanted): StatusForm {
    const refused = this.refused[by];
    if (performance.now() >= refused.until) refused.forms = 0;
    return FORMS[refused.forms] ?? 'single';
  }

  /** Two questions that were on their way may both be refused: the form is left once. */
  private leave(wanted: Wanted, form: StatusForm, httpStatus: number): void {
    const refused = this.refused[wanted.by];
    if (FORMS[refused.forms] !== form) return;
    refused.forms += 1;
    refused.until = performance.now() + REFUSED_FOR_MS;
    this.log.warn(
      `Relay refuses questions about many payments in one form (status ${httpStatus}): they are asked as ${this.formOf(wanted)}`,
    );
  }
}
