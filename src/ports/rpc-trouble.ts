/**
 * Why an operator should look at RPCs of a chain. `disagrees`: they say something else than the others, or are of another chain;
 * `stuck`: their head has stopped, or can't be one.
 */
export const RPC_PROBLEMS = ['disagrees', 'stuck'] as const;
export type RpcProblem = (typeof RPC_PROBLEMS)[number];

/** The trouble of RPCs, as one process sees it. */
export interface SeenRpcTrouble {
  readonly chainId: number;
  readonly problem: RpcProblem;
  /** Their names, as `verification.sources` has them. */
  readonly rpcs: readonly string[];
  /** One sentence for an operator; no URL. */
  readonly detail: string;
  readonly since: Date;
}
