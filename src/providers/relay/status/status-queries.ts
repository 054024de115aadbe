import { Logger } from '@nestjs/common';

import { SYSTEM_TIMERS } from '../../../platform/scheduling/system-timers.ts';
import type { Timers } from '../../../ports/timers.ts';
import type { RelayApi } from '../relay-api.ts';
import {
  parseStatusPage,
  statusPath,
  type NoAnswer,
  type StatusForm,
  type StatusPage,
  type Wanted,
} from './status-page.ts';

/** `list` is documented. The other forms need more requests, and are fallbacks when Relay refuses the form before. */
const FORMS: readonly StatusForm[] = ['list', 'groups', 'single'];
const REFUSED_FOR_MS = 600_000;
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** Queries many of Relay's requests, in the cheapest form that Relay accepts. */
export class StatusQueries {
  private readonly log = new Logger('Relay');
  /** How many forms Relay refuses, and until when they are not tried again. */
  private readonly refused = { depositAddress: { forms: 0, until: 0 }, id: { forms: 0, until: 0 } };

  constructor(
    private readonly api: Pick<RelayApi, 'get'>,
    private readonly timers: Timers = SYSTEM_TIMERS,
  ) {}

  /** Splits the requests into groups that one query can name. */
  splitOf(wanted: Wanted): readonly Wanted[] {
    if (this.formOf(wanted) !== 'single') return [wanted];
    return wanted.values.map((value) => ({ ...wanted, values: [value] }));
  }

  /** After `form_refused`, call `splitOf` and query again. */
  async send(
    wanted: Wanted,
    statuses: readonly string[] | null,
    continuation: string | null,
    onSent?: () => void,
  ): Promise<StatusPage | NoAnswer | 'form_refused'> {
    const form = this.formOf(wanted);
    const path = statusPath({ wanted, statuses, continuation, form });
    const answer = await this.api.get(path, MAX_RESPONSE_BYTES, onSent);
    const isRefused = answer.kind === 'error' && continuation === null && form !== 'single';
    if (!isRefused) return parseStatusPage(answer);
    this.downgrade(wanted, form, answer.httpStatus);
    return 'form_refused';
  }

  private formOf({ by }: Wanted): StatusForm {
    const refused = this.refused[by];
    if (this.timers.nowMs() >= refused.until) refused.forms = 0;
    return FORMS[refused.forms] ?? 'single';
  }

  /** Falls back to the next form; only once when two concurrent queries are refused. */
  private downgrade(wanted: Wanted, form: StatusForm, httpStatus: number): void {
    const refused = this.refused[wanted.by];
    if (FORMS[refused.forms] !== form) return;
    refused.forms += 1;
    refused.until = this.timers.nowMs() + REFUSED_FOR_MS;
    this.log.warn(
      `Relay refuses status queries in the form "${form}" (status ${httpStatus}): using the form "${this.formOf(wanted)}"`,
    );
  }
}
