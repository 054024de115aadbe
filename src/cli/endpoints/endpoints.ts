import type { EventType } from '../../domain/event/event.ts';
import type { Signature } from '../../ports/webhook-endpoints.ts';
import type { Schemas } from '../api/api-client.ts';
import type { Session } from '../api/session.ts';
import { ExitStatus } from '../output/exit-status.ts';
import { failureWords } from '../output/failure-words.ts';
import { note, print } from '../output/print.ts';
import { factsOf, tableOf } from '../output/table.ts';

export interface AddOptions {
  readonly type?: EventType[];
  readonly description?: string;
  readonly signature: Signature;
  readonly json?: true;
}

export interface TestOptions {
  readonly type?: NonNullable<Schemas['TestBody']['type']>;
  readonly json?: true;
}

export async function listEndpoints({ api }: Session, isJson: boolean): Promise<void> {
  const { text, data } = await api.call('get', '/api/destinations');
  if (isJson) return print(`${text}\n`);
  const heads = [
    'ID',
    'ENDPOINT',
    'STATE',
    'SINCE',
    'WAITING',
    'OLDEST',
    'LAST DELIVERED',
    'LAST FAILURE',
    'NAME',
  ];
  const rows = data.data.map((destination) => [
    destination.id,
    destination.url ?? destination.name,
    stateOf(destination),
    destination.since,
    `${destination.waiting.toLocaleString('en')}${destination.isMore ? ' or more' : ''}`,
    destination.waitingSince,
    destination.lastDeliveredAt,
    destination.lastFailure === null ? null : failureWords(destination.lastFailure),
    destination.name === destination.url || destination.url === null ? null : destination.name,
  ]);
  await print(tableOf(heads, rows));
}

type Destination = Schemas['DestinationAnswer'];

function stateOf({ kind, state, disabledReason, problem, refused }: Destination): string {
  if (state === 'disabled') return `disabled: ${disabledReason ?? ''}`;
  if (kind !== 'webhook' && state === 'open') return 'away';
  const { payments } = refused;
  return (
    problem ??
    (state === 'refusing' ? `refuses ${payments} ${payments === 1 ? 'payment' : 'payments'}` : state)
  );
}

export async function addEndpoint({ api }: Session, url: string, options: AddOptions): Promise<void> {
  const { type, description, signature, json } = options;
  const body = {
    url,
    signature,
    ...(type === undefined ? {} : { eventTypes: type }),
    ...(description === undefined ? {} : { description }),
  };
  const { text, data } = await api.call('post', '/api/webhook-endpoints', { body });
  if (json === true) return print(`${text}\n`);
  const { id, eventTypes } = data;
  await print(
    factsOf([
      ['id', id],
      ['url', data.url],
      ['event types', eventTypes.length === 0 ? 'all' : eventTypes.join(', ')],
      ...secretFacts(data),
    ]),
  );
}

export async function testEndpoint({ api }: Session, id: string, options: TestOptions): Promise<void> {
  const { type, json } = options;
  const body = type === undefined ? {} : { type };
  const asked = { path: { id }, body };
  const { text, data } = await api.call('post', '/api/webhook-endpoints/{id}/test', asked);
  process.exitCode = data.delivered ? ExitStatus.done : ExitStatus.failed;
  if (json === true) return print(`${text}\n`);
  const { delivered, httpStatus, durationMs, failure, code, advice, body: answer } = data;
  await print(
    factsOf([
      ['delivered', delivered],
      ['HTTP status', httpStatus],
      ['milliseconds', durationMs],
      ['failure', failure === null ? null : failureWords({ failure, code, httpStatus })],
      ['answer', answer],
      ['what to do', advice],
    ]),
  );
}

export async function rotateSecret({ api }: Session, id: string, isJson: boolean): Promise<void> {
  const path = { id };
  const { text, data } = await api.call('post', '/api/webhook-endpoints/{id}/rotate-secret', { path });
  if (isJson) return print(`${text}\n`);
  const previous = data.previousSecretExpiresAt;
  await print(factsOf([...secretFacts(data), ['previous secret signs until', previous]]));
}

function secretFacts({
  secret,
  publicKey,
}: {
  readonly secret: string | null;
  readonly publicKey: string | null;
}): (readonly [string, string | null])[] {
  if (secret === null) return [['public key', publicKey]];
  note('The secret is shown only now: store it.');
  return [['secret', secret]];
}
