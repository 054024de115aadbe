import { type Command, Option } from 'commander';

import { LIST_SORTS } from '../../ports/list-sort.ts';
import { ask } from '../api/ask.ts';
import { count, instant } from '../output/option-values.ts';
import type { UnansweredOptions } from './unanswered.ts';

export function addQuotes(program: Command): void {
  program
    .command('quotes')
    .description('Requests for quotes.')
    .command('unanswered')
    .description('List requests for quotes that providers left without an answer, newest first.')
    .option('--provider <name...>', 'only to one of these providers')
    .option('--order-id <id>', 'only of this order')
    .addOption(
      new Option('--tracked <flag>', 'only those whose answer came after all, or did not').choices([
        'true',
        'false',
      ]),
    )
    .option('--requested-after <time>', 'such as 2h, 7d or 2026-11-20T12:00:00Z', instant)
    .option('--requested-before <time>', 'as --requested-after', instant)
    .addOption(
      new Option('--sort <order>', 'by the time of the request; newest without it').choices(LIST_SORTS),
    )
    .option('--limit <count>', 'how many, 100 at most', count, 20)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .option('--json', 'print the JSON of the API')
    .action((options: UnansweredOptions) =>
      ask(async (session) => (await import('./unanswered.ts')).listUnanswered(session, options)),
    );
}
