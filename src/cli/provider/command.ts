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
    .description(
      'Send each provider of this environment, and each RPC that proves completions, requests that move no money. Some make quotes, which are never paid.',
    )
    .option('--json', 'print JSON, an object for each provider and each RPC')
    .action(check);
}

async function check({ json }: CheckOptions): Promise<void> {
  const { Config } = await import('../../config/config.ts');
  const { checkOf, PROVIDERS } = await import('../../providers/registered-providers.ts');
  const { checkRpcs } = await import('./rpc-check.ts');
  const { asJson, asText } = await import('./check-text.ts');
  const config = new Config(process.env, PROVIDERS);
  process.exitCode = ExitStatus.done;
  const providers = config.providers.map((name) => async () => [
    { name, list: await (await checkOf(name, config)).conform() },
  ]);
  for (const check of [...providers, () => checkRpcs(config)])
    for (const { name, list } of await check()) {
      await print((json === true ? asJson : asText)(list, name));
      if (!list.isGood) process.exitCode = ExitStatus.failed;
    }
}
