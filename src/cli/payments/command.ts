import { type Command, Option } from 'commander';

import { ask } from '../api/ask.ts';
import { CommandError, ExitStatus } from '../output/exit-status.ts';
import { count, pair } from '../output/option-values.ts';
import { withPaymentFilters } from './filters.ts';
import type { ExportOptions } from './export.ts';
import type { ListOptions } from './list.ts';
import type { TrackOptions } from './track.ts';

interface JsonOption {
  readonly json?: true;
}

export function addPayments(program: Command): void {
  const payments = program.command('payments').description('Payments: their status, events and deliveries.');
  withPaymentFilters(payments.command('list').description('List payments, newest first.'))
    .option('--limit <count>', 'how many', count, 20)
    .option('--all', 'all of them, whatever --limit says')
    .option('--cursor <cursor>', 'go on where the page before ended')
    .option('--json', 'print the JSON of the API, a page a line')
    .action((options: ListOptions) =>
      ask(async (session) => (await import('./list.ts')).listPayments(session, options)),
    );
  payments
    .command('show')
    .description('Show a payment with its events, what each destination was told, and what to do.')
    .argument('<id>', 'its quote id, or its order id; the payments of an order that has several are listed')
    .option('--json', 'print the JSON of the API')
    .action((id: string, { json }: JsonOption) =>
      ask(async (session) => (await import('./show.ts')).showPayment(session, id, json === true)),
    );
  addChanges(payments);
  withPaymentFilters(payments.command('export').description('Write payments as CSV, for a spreadsheet.'))
    .option('--limit <count>', 'how many; all without it', count)
    .option('--output <file>', 'the file; standard output without it')
    .action((options: ExportOptions) =>
      ask(async (session) => (await import('./export.ts')).exportPayments(session, options)),
    );
}

function addChanges(payments: Command): void {
  payments
    .command('refresh')
    .description('Ask the provider about payments now.')
    .argument('<quoteId...>')
    .option('--json', 'print the JSON of the API, a payment a line')
    .action((quoteIds: string[], { json }: JsonOption) =>
      ask(async (session) => (await import('./track.ts')).refreshPayments(session, quoteIds, json === true)),
    );
  payments
    .command('release')
    .description('Complete a payment that waits for its proof on chain, by your word.')
    .argument('<quoteId>')
    .requiredOption('--reason <text>', 'how you know that the money is there: for the audit log and the shop')
    .option('--json', 'print the JSON of the API')
    .action((quoteId: string, { reason, json }: JsonOption & { readonly reason: string }) =>
      ask(async (session) =>
        (await import('./track.ts')).releasePayment(session, quoteId, reason, json === true),
      ),
    );
  payments
    .command('track')
    .description('Track quotes that were made elsewhere: one, or those of a file.')
    .argument('[quoteId]')
    .addOption(
      new Option(
        '--file <file>',
        'hand over its quotes: quoteId[,orderId] or a JSON object a line; - reads standard input',
      ).conflicts(['orderId', 'metadata', 'quote']),
    )
    .option('--order-id <id>', "the merchant's id of the order")
    .option('--metadata <name=value>', 'may be repeated', pair)
    .option('--quote <file>', 'the quote as the provider answered it; - reads standard input')
    .option('--json', 'print the JSON of the API, of a file a result a line')
    .action((quoteId: string | undefined, options: TrackOptions) => track(quoteId, options));
}

function track(quoteId: string | undefined, { file, ...options }: TrackOptions): Promise<void> {
  if ((quoteId === undefined) === (file === undefined))
    throw new CommandError('Name a quoteId, or a file with --file.', ExitStatus.usage);
  return ask(async (session) => {
    if (file !== undefined)
      await (await import('./track-file.ts')).trackFile(session, file, options.json === true);
    else if (quoteId !== undefined)
      await (await import('./track.ts')).trackPayment(session, quoteId, options);
  });
}
