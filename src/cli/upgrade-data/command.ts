import type { Command } from 'commander';

import { print } from '../output/print.ts';

interface UpgradeOptions {
  readonly fromBin?: string;
}

export function addUpgradeData(program: Command): void {
  program
    .command('upgrade-data')
    .description(
      'Carry the embedded database over to the PostgreSQL that this Paybell brings, and keep the old data. Stop Paybell before.',
    )
    .option('--from-bin <dir>', 'the folder with the programs of the old PostgreSQL')
    .action(upgrade);
}

async function upgrade({ fromBin }: UpgradeOptions): Promise<void> {
  const { Config } = await import('../../config/config.ts');
  const { runUpgrade } = await import('./upgrade-data.ts');
  // An exit stops the servers where the kernel does not.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const config = new Config(process.env, { asksProvider: false });
  await print(await runUpgrade(fromBin ?? null, config, (text) => process.stdout.write(text)));
}
