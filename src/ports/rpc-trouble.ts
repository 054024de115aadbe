/**
 * Why an operator should check RPCs of a chain. `disagrees`: they differ from the other RPCs, or are on another chain;
 * `stuck`: their head has stopped, or cannot be a head.
 */
export const RPC_PROBLEMS = ['disagrees', 'stuck'] as const;
export type RpcProblem = (typeof RPC_PROBLEMS)[number];

/** The trouble of RPCs, as one process sees it. */
export interface SeenRpcTrouble {
  readonly chainId: number;
  readonly problem: RpcProblem;
  /** Their names in `verification.sources`. */
  readonly rpcs: readonly string[];
  /** One sentence for an operator, without a URL. */
  readonly detail: string;
  readonly since: Date;
}
