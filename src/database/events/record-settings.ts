import { USUAL_SUMS, type SumRules } from '../../domain/payment/amounts.ts';
import type { Verify } from '../../domain/proof/verification.ts';
import type { UrgencyRules } from '../../domain/polling/urgency.ts';

/** The rules by which recording marks payments for the witness. */
export interface ProofRecording {
  /** COMPLETED waits for its proof. */
  readonly isRequired: boolean;
  /** The chains on which the witness searches for deposits. */
  readonly chainIds: ReadonlySet<number>;
}

/** The rules that decide an event's content. */
export type EventRules = Pick<RecordSettings, 'source' | 'ordersAreUnique'>;

/** The rules of recording, from the configuration. */
export class RecordSettings {
  readonly verify: Verify;

  constructor(
    readonly stalledAfterMs: number,
    readonly urgency: UrgencyRules,
    /** The `source` attribute of CloudEvents. */
    readonly source: string,
    /** Null: VERIFY is off, and only proofs that were begun before are kept up. */
    readonly proof: ProofRecording | null = null,
    readonly sums: SumRules = USUAL_SUMS,
    /** True: an order id stands for one order, and its completions name the other payments. */
    readonly ordersAreUnique = true,
  ) {
    this.verify = proof === null ? 'off' : proof.isRequired ? 'require' : 'observe';
  }
}
