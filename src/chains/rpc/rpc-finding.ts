import { RpcTrouble } from './rpc-trouble.ts';

/** One requirement of a proof, and whether the RPC meets it. */
export interface RpcFinding {
  readonly check: string;
  readonly isGood: boolean;
  /** True: without it, nothing can be proven. */
  readonly isEssential: boolean;
  readonly detail: string;
}

/** The finding of a check, or the failure of the RPC that prevented the check. */
export async function tried(
  check: string,
  find: () => Promise<Omit<RpcFinding, 'check'>>,
): Promise<RpcFinding> {
  try {
    return { check, ...(await find()) };
  } catch (error) {
    if (!(error instanceof RpcTrouble)) throw error;
    return { check, isGood: false, isEssential: false, detail: error.message };
  }
}
