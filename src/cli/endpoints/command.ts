import { Option, type Command } from 'commander';

import { SUBSCRIBED_TYPES } from '../../domain/event/operational-event.ts';
import { SIGNATURES } from '../../ports/webhook-endpoints.ts';
import { ask } from '../api/ask.ts';
import { httpUrl, instant } from '../output/option-values.ts';
import type { DeleteOptions, EditOptions, EnableOptions } from './change.ts';
import type { AddOptions, TestOptions } from './endpoints.ts';
import type { RecoverOptions } from './recover.ts';

interface JsonOption {
  readonly json?: true;
}

export function addEndpoints(program: Command): void {
  const endpoints = program.command('endpoints').description('Webhook endpoints, and RabbitMQ.');
  endpoints
    .command('list')
    .description('List RabbitMQ and the webhook endpoints, with what waits for each and how it failed last.')
    .option('--json', 'print the JSON of the API')
    .action(({ json }: JsonOption) =>
      ask(async (session) => (await import('./endpoints.ts')).listEndpoints(session, json === true)),
    );
  endpoints
    .command('add')
    .description('Make an endpoint, and show its secret once.')
    .argument('<url>')
    .addOption(new Option('--type <type...>', 'only events of these types').choices(SUBSCRIBED_TYPES))
    .option('--description <text>', 'for your records')
    .addOption(new Option('--signature <kind>', 'how it is signed').choices(SIGNATURES).default('v1'))
    .option('--json', 'print the JSON of the API')
    .action((url: string, options: AddOptions) =>
      ask(async (session) => (await import('./endpoints.ts')).addEndpoint(session, url, options)),
    );
  addSwitches(endpoints);
  addChanges(endpoints);
  addRepairs(endpoints);
}

function addSwitches(endpoints: Command): void {
  endpoints
    .command('enable')
    .description('Enable an endpoint. On a terminal it asks whether to send what the endpoint was not sent.')
    .argument('<id>')
    .option('--recover', 'send what it was not sent while it was disabled')
    .option('--no-recover', 'leave that unsent')
    .option('--json', 'print the JSON of the API')
    .action((id: string, options: EnableOptions) =>
      ask(async (session) => (await import('./change.ts')).enableEndpoint(session, id, options)),
    );
  endpoints
    .command('disable')
    .description('Disable an endpoint: it gets no events.')
    .argument('<id>')
    .option('--json', 'print the JSON of the API')
    .action((id: string, { json }: JsonOption) =>
      ask(async (session) => (await import('./change.ts')).disableEndpoint(session, id, json === true)),
    );
}

function addChanges(endpoints: Command): void {
  endpoints
    .command('edit')
    .description('Change the URL, the event types or the description of an endpoint.')
    .argument('<id>')
    .option('--url <url>', 'where its events go', httpUrl)
    .addOption(new Option('--type <type...>', 'only events of these types').choices(SUBSCRIBED_TYPES))
    .addOption(new Option('--all-types', 'events of all types').conflicts('type'))
    .option('--description <text>', "for your records; '' for none")
    .option('--json', 'print the JSON of the API')
    .action((id: string, options: EditOptions) =>
      ask(async (session) => (await import('./change.ts')).editEndpoint(session, id, options)),
    );
  endpoints
    .command('delete')
    .description(
      'Delete an endpoint with its secret, and discard what waits for it. On a terminal it asks first.',
    )
    .argument('<id>')
    .option('--yes', 'without a question')
    .action((id: string, options: DeleteOptions) =>
      ask(async (session) => (await import('./change.ts')).deleteEndpoint(session, id, options)),
    );
}

function addRepairs(endpoints: Command): void {
  endpoints
    .command('test')
    .description('Send a test event now; exit status 1 unless it was acknowledged.')
    .argument('<id>')
    .option('--type <type>', 'an example of this type in place of webhook.test')
    .option('--json', 'print the JSON of the API')
    .action((id: string, options: TestOptions) =>
      ask(async (session) => (await import('./endpoints.ts')).testEndpoint(session, id, options)),
    );
  endpoints
    .command('rotate')
    .description('Make a new secret, and show it once; the previous one signs too for 24 hours.')
    .argument('<id>')
    .option('--json', 'print the JSON of the API')
    .action((id: string, { json }: JsonOption) =>
      ask(async (session) => (await import('./endpoints.ts')).rotateSecret(session, id, json === true)),
    );
  endpoints
    .command('recover')
    .description('Send the events again that an endpoint has not acknowledged.')
    .argument('<id>')
    .addOption(
      new Option('--since <time>', 'such as 2h, 7d or 2026-11-20T12:00:00Z')
        .argParser(instant)
        .makeOptionMandatory(),
    )
    .option('--dry-run', 'only count them')
    .option('--wait', 'until all are queued')
    .option('--json', 'print the JSON of the API')
    .action((id: string, options: RecoverOptions) =>
      ask(async (session) => (await import('./recover.ts')).recoverEndpoint(session, id, options)),
    );
}
