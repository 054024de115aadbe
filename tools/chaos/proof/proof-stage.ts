import type { Cleanup } from '../../testkit/cleanup.ts';
import { ChainRpc, type RpcTrouble } from './chain-rpc.ts';
import type { ProofMode } from './proven-stories.ts';
import {
  CHAIN_ID,
  CONFIRMATIONS,
  newHash,
  type Payee,
  type Payout,
  ScriptedChain,
} from './scripted-chain.ts';

/** The chain of a run, and the two RPCs that answer for the chain. */
export class ProofStage {
  private constructor(
    readonly mode: ProofMode,
    readonly chain: ScriptedChain,
    readonly rpcs: readonly [ChainRpc, ChainRpc],
  ) {}

  static async open(mode: ProofMode, cleanup: Cleanup): Promise<ProofStage> {
    const chain = new ScriptedChain();
    const rpcs = await ChainRpc.pairOf(chain);
    cleanup.add(() => Promise.all(rpcs.map((rpc) => rpc.close())));
    return new ProofStage(mode, chain, rpcs);
  }

  settingsOf(replica: number): Readonly<Record<string, string>> {
    const urls = this.rpcs.map(({ url }) => `${url}/replica-${replica}`);
    return {
      VERIFY: this.mode,
      CHAIN_RPC: `${CHAIN_ID}=${urls.join('|')}`,
      CHAIN_CONFIRMATIONS: `${CHAIN_ID}=${CONFIRMATIONS}`,
    };
  }

  /** Makes the payout of a provider that reports COMPLETED; returns the hash that the provider names. */
  readonly payOut = (payee: Payee, { deed, isNamed, afterBlocks }: Payout): string | null => {
    const hash = deed === null ? newHash() : this.chain.mine(payee, deed, afterBlocks);
    return isNamed ? hash : null;
  };

  /** Begins or ends the trouble of an RPC; null: of both RPCs. */
  async trouble(rpc: number | null, how: RpcTrouble, isOn: boolean): Promise<void> {
    const concerned = this.rpcs.filter((_, index) => rpc === null || rpc === index);
    // If the chain forks for both RPCs, neither stays behind.
    if (how !== 'fork' || rpc !== null) for (const each of concerned) await each.fall(isOn ? how : null);
    if (how === 'fork' && isOn) this.chain.fork();
  }
}
