import type { Config } from '../../config/config.ts';
import { wordsOf } from '../output/exit-status.ts';
import { checkProvider } from '../provider/provider-check.ts';
import type { Findings } from './findings.ts';

const ADVICE =
  '`paybell provider check` says more; docs/running/providers.md has what a provider must answer.';

/** The requests of `paybell provider check`, which move no money. */
export async function examineProvider(config: Config, findings: Findings): Promise<void> {
  for (const provider of config.providers) {
    const title = config.providers.length === 1 ? 'provider' : `provider ${provider}`;
    try {
      const { lines } = await checkProvider(config, provider);
      for (const { check, outcome, isEssential, detail } of lines) {
        const name = `${title} ${check}`;
        if (outcome === 'ok') findings.ok(name, detail);
        else if (isEssential) findings.wrong(name, detail, ADVICE);
        else if (outcome === 'differs') findings.warning(name, detail, ADVICE);
      }
    } catch (error) {
      findings.wrong(title, wordsOf(error), ADVICE);
    }
  }
}
