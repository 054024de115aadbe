import type { Config } from '../../config/config.ts';
import { wordsOf } from '../output/exit-status.ts';
import { checkProvider } from '../provider/provider-check.ts';
import type { Findings } from './findings.ts';

const ADVICE =
  '`paybell provider check` says more; docs/running/providers.md has what a provider must answer.';

/** The requests of `paybell provider check`, which move no money. */
export async function examineProvider(config: Config, findings: Findings): Promise<void> {
  try {
    const { lines } = await checkProvider(config);
    for (const { check, outcome, isEssential, detail } of lines) {
      const name = `provider ${check}`;
      if (outcome === 'ok') findings.ok(name, detail);
      else if (isEssential) findings.wrong(name, detail, ADVICE);
      else if (outcome === 'differs') findings.warning(name, detail, ADVICE);
    }
  } catch (error) {
    findings.wrong('provider', wordsOf(error), ADVICE);
  }
}
