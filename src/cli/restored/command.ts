import type { Command } from 'commander';

import { ExitStatus } from '../output/exit-status.ts';
import { httpUrl } from '../output/option-values.ts';
import { print } from '../output/print.ts';

interface RestoredOptions {
  readonly from?: string;
  readonly url?: string;
}

export function addRestored(program: Command): void {
  program
    .command('after-restore')
    .description(
      'Say that the database went back, by a restore or a failover that lost commits; or hand over the payments that a file names.',
    )
    .option(
      '--from <file>',
      'a JSON object a line, {quoteId, orderId?, metadata?, quote?} or an event; - reads standard input',
    )
    .option(
      '--url <url>',
      'with --from: the running Paybell (default: PAYBELL_URL, http://HOST:PORT)',
      httpUrl,
    )
    .action(restored);
}

async function restored({ from, url }: RestoredOptions): Promise<void> {
  const { Config } = await import('../../config/config.ts');
  const { PROVIDERS } = await import('../../providers/registered-providers.ts');
  const config = new Config(process.env, PROVIDERS, { asksProvider: false });
  if (from === undefined) {
    const { declareRestored } = await import('./declare-restored.ts');
    await print(await declareRestored(config));
    return;
  }
  const { readClientSettings } = await import('../../config/client-settings.ts');
  const { adoptFrom } = await import('./restored.ts');
  const source = { file: from, url: url ?? readClientSettings(process.env).url };
  const { isGood } = await adoptFrom(source, config, (text) => process.stdout.write(text));
  process.exitCode = isGood ? ExitStatus.done : ExitStatus.failed;
}
