import { USUAL_SUMS, type SumRules } from '../../domain/payment/amounts.ts';
import type { Verify } from '../../domain/proof/verification.ts';
import type { UrgencyRules } from '../../domain/polling/urgency.ts';

/** The rules by which recording notes payments for the witness. */
export interface ProofRecording {
  /** COMPLETED waits for its proof. */
  readonly isRequired: boolean;
  /** The chains on which deposits are searched for. */
  readonly chainIds: ReadonlySet<number>;
}

/** The part of the rules by which events are written. */
export type EventRules = Pick<RecordSettings, 'source' | 'ordersAreUnique'>;

/** The rules of recording, from the configuration. */
export class RecordSettings {
  readonly verify: Verify;

  constructor(
    readonly stalledAfterMs: number,
    readonly urgency: UrgencyRules,
    /** CloudEvents `source`. */
    readonly source: string,
    /** Null: VERIFY is off, and only what was noted before is kept up. */
    readonly proof: ProofRecording | null = null,
    readonly sums: SumRules = USUAL_SUMS,
    /** An order id stands for one order: its completions name the other payments. */
    readonly ordersAreUnique = true,
  ) {
    this.verify = proof === null ? 'off' : proof.isRequired ? 'require' : 'observe';
  }
}
