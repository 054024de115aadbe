import { inconclusive } from '../../domain/proof/judge-output.ts';
import type { OutputAnswer } from '../../domain/proof/output.ts';
import { chainIdCheck, resultsAlone } from '../../domain/proof/output-checks.ts';
import type { OutputCheck } from '../../domain/proof/verification.ts';
import type { RpcFailure, RpcTrouble } from './rpc-trouble.ts';

const AGAIN_MS = 60_000;
/** These troubles last until a person repairs the RPC or its setting. */
const LASTING: ReadonlySet<RpcFailure> = new Set(['wrong_chain', 'rpc_stuck']);

/** An RPC that did not answer, and the reason. */
export interface Troubled {
  readonly trouble: RpcTrouble;
  readonly host: string;
}

export function said({ trouble: { failure, message }, host }: Troubled): string {
  return `${host} ${failure === 'rpc_away' ? `cannot be used: ${message}` : message}`;
}

/** Adds to the chain's check which RPCs do not count until a person repairs them. */
export function naming(
  checks: readonly OutputCheck[],
  troubled: readonly Troubled[],
): readonly OutputCheck[] {
  const lasting = troubled.filter(({ trouble }) => LASTING.has(trouble.failure));
  const words = lasting.map((each) => ` ${said(each)} and does not count.`).join('');
  return checks.map((check) =>
    check.name === 'chain_id' ? { ...check, detail: `${check.detail}${words}` } : check,
  );
}

/** No RPC answered: names each with its reason. */
export function unanswered(chainId: number, troubled: readonly Troubled[]): OutputAnswer {
  const wrong = troubled.find(({ trouble }) => trouble.failure === 'wrong_chain');
  const checks = resultsAlone({
    ...(wrong === undefined ? {} : chainIdCheck(chainId, false)),
    receipt: { passed: null, detail: `${troubled.map(said).join('; ')}.` },
  });
  const byTime = troubled.toSorted((one, other) => one.trouble.askAgainMs - other.trouble.askAgainMs);
  const trouble = (wrong ?? byTime[0])?.trouble;
  const { failure, askAgainMs } = trouble ?? { failure: 'rpc_away', askAgainMs: AGAIN_MS };
  return inconclusive(failure, askAgainMs, { source: null, checks });
}
