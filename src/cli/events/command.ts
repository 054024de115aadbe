import { Option, type Command } from 'commander';

import { EVENT_TYPES } from '../../domain/event/event.ts';
import { ask } from '../api/ask.ts';
import { count } from '../output/option-values.ts';
import type { TailOptions } from './tail.ts';

export function addEvents(program: Command): void {
  const events = program.command('events').description('The log of all events.');
  events
    .command('tail')
    .description('Print events as they happen, until Ctrl-C; a connection that breaks is resumed.')
    .addOption(new Option('--type <type...>', 'only events of these types').choices(EVENT_TYPES))
    .addOption(
      new Option('--quote-id <id>', "only this payment's events, from its first one on").conflicts([
        'type',
        'after',
        'resume',
      ]),
    )
    .option('--order-id <id>', 'only events of this order')
    .option('--after <place>', "begin after an event's id, or a cursor of the log; without it, now")
    .option('--resume <file>', 'keep the place in this file, and begin there')
    .option('--count <count>', 'end after so many', count)
    .option('--json', 'print each event as it is sent to endpoints, one a line')
    .action((options: TailOptions) =>
      ask(async (session) => (await import('./tail.ts')).tailEvents(session, options)),
    );
}
