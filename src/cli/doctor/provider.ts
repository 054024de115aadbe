import type { Config } from '../../config/config.ts';
import { checkOf } from '../../providers/registered-providers.ts';
import { wordsOf } from '../output/exit-status.ts';
import { ADVICE } from './advice.ts';
import { type Findings, LIMIT_MS } from './findings.ts';

/** Whether each provider answers and accepts its key, by requests that only read. `paybell provider check` has the rest. */
export async function examineProviders(config: Config, findings: Findings): Promise<void> {
  const isOnly = config.providers.length === 1;
  await Promise.all(
    config.providers.map((name) =>
      examineOne(config, name, isOnly ? 'provider' : `provider ${name}`, findings),
    ),
  );
}

async function examineOne(config: Config, name: string, title: string, findings: Findings): Promise<void> {
  try {
    const check = await checkOf(name, config);
    const { lines, isGood } = await check.reach(LIMIT_MS);
    const essential = lines.filter(({ isEssential }) => isEssential);
    const said = essential.map((line) => `${line.check}: ${line.detail}`).join('; ');
    if (isGood) findings.ok(title, said);
    else findings.wrong(title, said, ADVICE.provider);
  } catch (error) {
    findings.wrong(title, wordsOf(error), ADVICE.provider);
  }
}
