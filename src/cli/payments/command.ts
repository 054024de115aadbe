import type { Command } from 'commander';

import { ask } from '../api/ask.ts';
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
    .option('--limit <count>', 'how many, 100 at most', count, 20)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .option('--json', 'print the JSON of the API')
    .action((options: ListOptions) =>
      ask(async (session) => (await import('./list.ts')).listPayments(session, options)),
    );
  payments
    .command('show')
    .description('Show a payment with its events and what its destinations have acknowledged.')
    .argument('<quoteId>')
    .option('--json', 'print the JSON of the API')
    .action((quoteId: string, { json }: JsonOption) =>
      ask(async (session) => (await import('./show.ts')).showPayment(session, quoteId, json === true)),
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
    .command('track')
    .description('Track a quote that was made elsewhere.')
    .argument('<quoteId>')
    .option('--order-id <id>', "the merchant's id of the order")
    .option('--metadata <name=value>', 'may be repeated', pair)
    .option('--quote <file>', 'the quote as the provider answered it; - reads standard input')
    .option('--json', 'print the JSON of the API')
    .action((quoteId: string, options: TrackOptions) =>
      ask(async (session) => (await import('./track.ts')).trackPayment(session, quoteId, options)),
    );
}
