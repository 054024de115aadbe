/** How a final block may contradict a reported completion; each is a reason of `payment.anomaly`. */
export const CONTRADICTIONS_ON_CHAIN = [
  'output_missing',
  'output_reverted',
  'other_recipient',
  'other_token',
  'amount_short',
  'output_used_before',
  'output_reorged',
  'double_spent',
] as const;

export type ContradictionOnChain = (typeof CONTRADICTIONS_ON_CHAIN)[number];

/** The checks that a witness makes of an output, in this order. */
export const OUTPUT_CHECKS = [
  'chain_id',
  'receipt',
  'token',
  'recipient',
  'amount',
  'unused',
  'time',
  'confirmations',
] as const;

export type OutputCheckName = (typeof OUTPUT_CHECKS)[number];

export interface OutputCheck {
  readonly name: OutputCheckName;
  /** Null: the check could not be made. */
  readonly passed: boolean | null;
  /** One sentence for a person, without the address of an RPC. */
  readonly detail: string;
}

/**
 * `pending`: not fully inspected yet; `proven`, `contradicted`: by the chain; `unverified`: the witness gave up, and only the
 * provider's word remains.
 */
export const VERIFICATION_STATES = ['pending', 'proven', 'contradicted', 'unverified'] as const;

export type VerificationState = (typeof VERIFICATION_STATES)[number];

export function isVerificationState(value: unknown): value is VerificationState {
  return VERIFICATION_STATES.some((state) => state === value);
}

/** The modes of VERIFY: the chain is not read; read after the completion; only a proof completes a payment. */
export type Verify = 'off' | 'observe' | 'require';

/** `data.verification` of events, and a member of the API's payment. */
export interface Verification {
  readonly state: VerificationState;
  /** Null: the quote has not been read yet. */
  readonly chainId: number | null;
  readonly txHash: string | null;
  /** Null: the native coin, or no transfer was found. */
  readonly logIndex: number | null;
  readonly block: number | null;
  readonly confirmations: number | null;
  readonly checks: readonly OutputCheck[];
  /**
   * The hosts of the RPCs that answered, in the order of CHAIN_RPC; a host's second RPC is `host#2`. Never a path, a query or
   * a port.
   */
  readonly sources: readonly string[];
  /** The quote id of the payment that the transfer proves; only with `output_used_before`. */
  readonly usedBy?: string;
}

/** The verification of a completion that waits for its proof, before the first inspection. */
export const PENDING: Verification = {
  state: 'pending',
  chainId: null,
  txHash: null,
  logIndex: null,
  block: null,
  confirmations: null,
  checks: [],
  sources: [],
};
