import type { Config } from '../../config/config.ts';
import { checkOf } from '../../providers/registered-providers.ts';
import type { CheckList } from '../../providers/shared/check-list.ts';
import { wordsOf } from '../output/exit-status.ts';
import { ADVICE } from './advice.ts';
import { type Findings, LIMIT_MS } from './findings.ts';

/** Whether each provider answers and accepts its key, by requests that only read. `paybell provider check` has the rest. */
export async function examineProviders(config: Config, findings: Findings): Promise<void> {
  const isOnly = config.providers.length === 1;
  const checks = config.providers.map(async (name) => (await checkOf(name, config)).reach(LIMIT_MS));
  const reached = await Promise.allSettled(checks);
  for (const [index, result] of reached.entries()) {
    const title = isOnly ? 'provider' : `provider ${config.providers[index] ?? ''}`;
    if (result.status === 'rejected') findings.wrong(title, wordsOf(result.reason), ADVICE.provider);
    else noteReached(title, result.value, findings);
  }
}

function noteReached(title: string, { lines, isGood }: CheckList, findings: Findings): void {
  const essential = lines.filter(({ isEssential }) => isEssential);
  const said = essential.map(({ check, detail }) => `${check}: ${seenIn(detail)}`).join('; ');
  if (isGood) findings.ok(title, said);
  else findings.wrong(title, said, ADVICE.provider);
}

/** Leaves out the expected value, which `paybell provider check` shows. */
function seenIn(detail: string): string {
  return detail.replace(/^expected .*; seen: /, '');
}
