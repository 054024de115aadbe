import { Option, type Command } from 'commander';

import { DELIVERY_STATES } from '../../ports/delivery-log.ts';
import { LIST_SORTS } from '../../ports/list-sort.ts';
import { ask } from '../api/ask.ts';
import { count } from '../output/option-values.ts';
import type { ListOptions } from './deliveries.ts';

interface JsonOption {
  readonly json?: true;
}

export function addDeliveries(program: Command): void {
  const deliveries = program
    .command('deliveries')
    .description('Deliveries of events to webhook endpoints and RabbitMQ.');
  deliveries
    .command('list')
    .description('List deliveries, newest first.')
    .option('--endpoint <id>', 'only to this endpoint, or to rabbitmq')
    .option('--quote-id <id>', 'only of this payment')
    .option('--order-id <id>', 'only of the payments of this order')
    .addOption(new Option('--state <state...>', 'only in one of these').choices(DELIVERY_STATES))
    .addOption(
      new Option('--sort <order>', 'by the time they were recorded; newest without it').choices(LIST_SORTS),
    )
    .option('--limit <count>', 'how many, 100 at most', count, 20)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .option('--json', 'print the JSON of the API')
    .action((options: ListOptions) =>
      ask(async (session) => (await import('./deliveries.ts')).listDeliveries(session, options)),
    );
  deliveries
    .command('show')
    .description('Show a delivery with its event and each attempt.')
    .argument('<id>')
    .option('--json', 'print the JSON of the API')
    .action((id: string, { json }: JsonOption) =>
      ask(async (session) => (await import('./deliveries.ts')).showDelivery(session, id, json === true)),
    );
  deliveries
    .command('retry')
    .description('Send events again now.')
    .argument('<id...>')
    .option('--json', 'print the JSON of the API, a delivery a line')
    .action((ids: string[], { json }: JsonOption) =>
      ask(async (session) => (await import('./deliveries.ts')).retryDeliveries(session, ids, json === true)),
    );
}
