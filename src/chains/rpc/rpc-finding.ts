import { RpcTrouble } from './rpc-trouble.ts';

/** One thing that a proof needs of an RPC, and whether it is there. */
export interface RpcFinding {
  readonly check: string;
  readonly isGood: boolean;
  /** Nothing can be proven without it. */
  readonly isEssential: boolean;
  readonly detail: string;
}

/** The finding of a check, or that the RPC made it impossible. */
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
