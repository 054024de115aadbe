import type { Command } from 'commander';

import { ask } from '../api/ask.ts';

export function addOrders(program: Command): void {
  program
    .command('orders')
    .description('Orders: the payments of each.')
    .command('show')
    .description('Show an order with its payments, newest first, and which are open, completed and resolved.')
    .argument('<orderId>')
    .option('--json', 'print the JSON of the API')
    .action((orderId: string, { json }: { readonly json?: true }) =>
      ask(async (session) => (await import('./show.ts')).showOrder(session, orderId, json === true)),
    );
}
