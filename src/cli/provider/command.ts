import type { Command } from 'commander';

import { ExitStatus } from '../output/exit-status.ts';
import { print } from '../output/print.ts';

interface CheckOptions {
  readonly json?: true;
}

export function addProvider(program: Command): void {
  const provider = program.command('provider').description('The payment provider.');
  provider
    .command('check')
    .description('Send each provider of this environment a few requests that move no money.')
    .option('--json', 'print JSON, an object for each provider')
    .action(check);
}

async function check({ json }: CheckOptions): Promise<void> {
  const { Config } = await import('../../config/config.ts');
  const { PROVIDERS } = await import('../../providers/registered-providers.ts');
  const { checkProvider } = await import('./provider-check.ts');
  const { asJson, asText } = await import('./check-list.ts');
  const config = new Config(process.env, PROVIDERS);
  process.exitCode = ExitStatus.done;
  for (const name of config.providers) {
    const list = await checkProvider(config, name);
    await print((json === true ? asJson : asText)(list, name));
    if (!list.isGood) process.exitCode = ExitStatus.failed;
  }
}
