import { createInterface } from 'node:readline/promises';

import type { SubscribedType } from '../../domain/event/operational-event.ts';
import type { Schemas } from '../api/api-client.ts';
import type { Session } from '../api/session.ts';
import { CommandError, ExitStatus } from '../output/exit-status.ts';
import { note, print } from '../output/print.ts';
import { factsOf, textOf } from '../output/table.ts';

export interface EnableOptions {
  /** Undefined: neither --recover nor --no-recover. */
  readonly recover?: boolean;
  readonly json?: true;
}

export interface EditOptions {
  readonly url?: string;
  readonly type?: SubscribedType[];
  readonly allTypes?: true;
  readonly description?: string;
  readonly json?: true;
}

export interface DeleteOptions {
  readonly yes?: true;
}

type Endpoint = Schemas['WebhookEndpointView'];
type Changed = Schemas['ChangedWebhookEndpoint'];

/**
 * Enables an endpoint, and sends the events that it was not sent while it was disabled, if the option or an answer on a
 * terminal says so.
 */
export async function enableEndpoint(session: Session, id: string, options: EnableOptions): Promise<void> {
  const { unsent } = await endpointOf(session, id);
  const events = counted(unsent.count, unsent.isMore);
  const { json } = options;
  let { recover } = options;
  if (unsent.count > 0 && recover === undefined && isAsking())
    recover = await asked(session, `It was not sent ${events} while it was disabled. Send them?`);
  // `recover` is sent even if no event is unsent: one may be recorded at this moment.
  const body = { enabled: true, ...(recover === true ? { recover } : {}) };
  const { text, data } = await session.api.call('patch', '/api/webhook-endpoints/{id}', {
    path: { id },
    body,
  });
  await print(json === true ? `${text}\n` : changedFacts(data));
  if (unsent.count > 0 && recover !== true) {
    const since = unsent.since === null ? '1d' : unsent.since;
    note(`It was not sent ${events}: \`paybell endpoints recover ${id} --since ${since}\` sends them.`);
  }
}

export async function disableEndpoint(session: Session, id: string, isJson: boolean): Promise<void> {
  await change(session, id, { enabled: false }, isJson);
  note(`It gets no events now. \`paybell endpoints enable ${id} --recover\` sends them later.`);
}

export async function editEndpoint(session: Session, id: string, options: EditOptions): Promise<void> {
  const { url, type, allTypes, description, json } = options;
  const body = {
    ...(url === undefined ? {} : { url }),
    ...(type === undefined ? {} : { eventTypes: type }),
    ...(allTypes === true ? { eventTypes: [] } : {}),
    ...(description === undefined ? {} : { description: description === '' ? null : description }),
  };
  if (Object.keys(body).length === 0)
    throw new CommandError(
      'Name what changes: --url, --type, --all-types or --description.',
      ExitStatus.usage,
    );
  await change(session, id, body, json === true);
}

/** Deletes an endpoint, with its secret and its pending deliveries. */
export async function deleteEndpoint(session: Session, id: string, { yes }: DeleteOptions): Promise<void> {
  const endpoint = await endpointOf(session, id);
  const name = textOf(endpoint.description ?? endpoint.url);
  if (yes !== true) {
    const what = `Delete ${name}, its secret, and ${counted(endpoint.pending)} waiting?`;
    if (!isAsking()) throw new CommandError(`${what} Say so with --yes.`, ExitStatus.usage);
    if (!(await asked(session, what))) return note('It is kept.');
  }
  await session.api.call('delete', '/api/webhook-endpoints/{id}', { path: { id } });
  await print(`${name} is deleted.\n`);
}

async function endpointOf({ api }: Session, id: string): Promise<Endpoint> {
  return (await api.call('get', '/api/webhook-endpoints/{id}', { path: { id } })).data;
}

async function change(
  { api }: Session,
  id: string,
  body: Schemas['ChangeWebhookEndpoint'],
  isJson: boolean,
): Promise<void> {
  const { text, data } = await api.call('patch', '/api/webhook-endpoints/{id}', { path: { id }, body });
  await print(isJson ? `${text}\n` : changedFacts(data));
}

function changedFacts({ id, url, description, eventTypes, state, recovery }: Changed): string {
  return factsOf([
    ['id', id],
    ['url', url],
    ['name', description],
    ['event types', eventTypes.length === 0 ? 'all' : eventTypes.join(', ')],
    ['state', state],
    ...(recovery === undefined ? [] : [['sends again', counted(recovery.count, !recovery.exact)] as const]),
  ]);
}

/** Whether a person can answer: a script never waits. */
function isAsking(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Standard error shows the question, so that standard output has only the result. */
async function asked({ signal }: Session, question: string): Promise<boolean> {
  // In raw mode Ctrl-C would not be a signal.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `, { signal })).trim());
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    lines.close();
  }
}

function counted(count: number, isMore = false): string {
  return `${isMore ? 'at least ' : ''}${count} ${count === 1 && !isMore ? 'event' : 'events'}`;
}
