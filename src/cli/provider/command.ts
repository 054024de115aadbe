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
    .description('Send the provider of this environment a few requests that move no money.')
    .option('--json', 'print JSON')
    .action(check);
}

async function check({ json }: CheckOptions): Promise<void> {
  const { Config } = await import('../../config/config.ts');
  const { PROVIDERS } = await import('../../providers/registered-providers.ts');
  const { checkProvider } = await import('./provider-check.ts');
  const { asJson, asText } = await import('./check-list.ts');
  const config = new Config(process.env, PROVIDERS);
  const list = await checkProvider(config);
  await print((json === true ? asJson : asText)(list, config.provider));
  process.exitCode = list.isGood ? ExitStatus.done : ExitStatus.failed;
}
