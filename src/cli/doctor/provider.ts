import type { Config } from '../../config/config.ts';
import { checkOf } from '../../providers/registered-providers.ts';
import type { CheckList, ProviderCheck } from '../../providers/shared/check-list.ts';
import { ADVICE } from './advice.ts';
import type { Examination, Findings } from './findings.ts';
import { inTime } from './in-time.ts';

/**
 * Loads the checks of the providers. They ask whether each provider answers and accepts its key, by requests that only read;
 * `paybell provider check` has the rest.
 */
export async function providersExamination(config: Config): Promise<Examination> {
  const checks = await Promise.all(config.providers.map((name) => checkOf(name, config)));
  return (findings) => examineProviders(config, checks, findings);
}

async function examineProviders(
  config: Config,
  checks: readonly ProviderCheck[],
  findings: Findings,
): Promise<void> {
  const isOnly = config.providers.length === 1;
  const reached = await Promise.allSettled(checks.map((check) => inTime(check.reach())));
  for (const [index, result] of reached.entries()) {
    const title = isOnly ? 'provider' : `provider ${config.providers[index] ?? ''}`;
    if (result.status === 'rejected') findings.failed(title, result.reason, ADVICE.provider);
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
