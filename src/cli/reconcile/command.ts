import { Option, type Command } from 'commander';

import { ask } from '../api/ask.ts';
import { instant } from '../output/option-values.ts';
import type { ReconcileOptions } from './reconcile.ts';

export function addReconcile(program: Command): void {
  program
    .command('reconcile')
    .description(
      "Compare each payment's status at the provider, its last event, and what each destination has acknowledged; exit status 1 when something disagrees.",
    )
    .addOption(
      new Option('--since <time>', 'payments created since then, such as 2h, 7d or 2026-11-20')
        .argParser(instant)
        .makeOptionMandatory(),
    )
    .option('--until <time>', 'and before then', instant)
    .option('--ask', 'ask the provider about each payment anew, which takes of its budget')
    .option('--all', 'print those that agree, too')
    .addOption(new Option('--csv', 'print CSV, for a spreadsheet').conflicts('json'))
    .option('--json', 'print JSON')
    .action((options: ReconcileOptions) =>
      ask(async (session) => (await import('./reconcile.ts')).reconcile(session, options)),
    );
}
