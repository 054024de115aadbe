import { Counter, type Registry } from 'prom-client';

import type { NoticeOutcome } from '../../ports/meter.ts';

const OUTCOMES: readonly NoticeOutcome[] = ['accepted', 'duplicate', 'unknown', 'unreadable', 'refused'];

/** Counts a provider's notices. Every series exists from the start, at zero. */
export class NoticeSeries {
  private readonly notices: Counter<'outcome'>;

  constructor(registry: Registry) {
    this.notices = new Counter({
      name: 'paybell_provider_notices_total',
      help: 'Notices that the provider sent by itself, by outcome.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of OUTCOMES) this.notices.inc({ outcome }, 0);
  }

  noticed(outcome: NoticeOutcome): void {
    this.notices.inc({ outcome });
  }
}
