import { Logger } from '@nestjs/common';

import type { RelayApi } from './relay-api.ts';
import { readStatusPage, statusPath, type Silence, type StatusForm, type StatusPage } from './status-page.ts';

/** As documented; the others cost more, and are for the day that Relay refuses the first. */
const FORMS: readonly StatusForm[] = ['list', 'groups', 'single'];
const REFUSED_FOR_MS = 600_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Asks Relay about addresses, in the cheapest form that it takes. */
export class StatusQuestions {
  private readonly log = new Logger('Relay');
  private refused = 0;
  private refusedUntil = 0;

  constructor(private readonly api: Pick<RelayApi, 'get'>) {}

  /** Which addresses one question can name together. */
  splitOf(addresses: readonly string[]): readonly (readonly string[])[] {
    return this.form === 'single' ? addresses.map((address) => [address]) : [addresses];
  }

  /** `form_refused`: to be split and asked anew. */
  async ask(
    addresses: readonly string[],
    statuses: readonly string[] | null,
    continuation: string | null,
  ): Promise<StatusPage | Silence | 'form_refused'> {
    const { form } = this;
    const path = statusPath({ addresses, statuses, continuation, form });
    const answer = await this.api.get(path, MAX_ANSWER_BYTES);
    const isRefused = answer.kind === 'error' && continuation === null && form !== 'single';
    if (!isRefused) return readStatusPage(answer);
    this.leave(form, answer.httpStatus);
    return 'form_refused';
  }

  private get form(): StatusForm {
    if (performance.now() >= this.refusedUntil) this.refused = 0;
    return FORMS[this.refused] ?? 'single';
  }

  /** Two questions that were on their way may both be refused: the form is left once. */
  private leave(form: StatusForm, httpStatus: number): void {
    if (FORMS[this.refused] !== form) return;
    this.refused += 1;
    this.refusedUntil = performance.now() + REFUSED_FOR_MS;
    this.log.warn(
      `Relay refuses questions about many payments in one form (status ${httpStatus}): they are asked as ${this.form}`,
    );
  }
}
