import { Option, type Command } from 'commander';

import { EVENT_TYPES } from '../../domain/event/event.ts';
import { ask } from '../api/ask.ts';
import { httpUrl } from '../output/option-values.ts';
import type { ListenOptions } from './listen.ts';

export function addListen(program: Command): void {
  program
    .command('listen')
    .description(
      'Send events to a program on this machine, signed like webhooks, without an endpoint; until Ctrl-C.',
    )
    .addOption(
      new Option('--forward <url>', 'such as http://127.0.0.1:4000/hook')
        .argParser(httpUrl)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--type <type...>', 'only events of these types').choices(EVENT_TYPES))
    .option('--after <place>', "begin after an event's id, or a cursor of the log; without it, now")
    .option('--json', 'print the secret and each delivery as JSON, one a line')
    .action((options: ListenOptions) =>
      ask(async (session) => (await import('./listen.ts')).listen(session, options)),
    );
}
