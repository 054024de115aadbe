import type { UrgencyRules } from '../../domain/polling/urgency.ts';

/** What recording goes by, from the configuration. */
export class RecordSettings {
  constructor(
    readonly stalledAfterMs: number,
    readonly urgency: UrgencyRules,
    /** CloudEvents `source`. */
    readonly source: string,
  ) {}
}
