import type { DeliveryState } from '../../ports/delivery-log.ts';
import type { ListSort } from '../../ports/list-sort.ts';
import type { Schemas } from '../api/api-client.ts';
import { about } from '../api/problem.ts';
import type { Session } from '../api/session.ts';
import { shortFailure } from '../../domain/story/failure-words.ts';
import { note, print } from '../output/print.ts';
import { factsOf, tableOf } from '../output/table.ts';

export interface ListOptions {
  readonly endpoint?: string;
  readonly quoteId?: string;
  readonly orderId?: string;
  readonly state?: DeliveryState[];
  readonly sort?: ListSort;
  readonly limit: number;
  readonly cursor?: string;
  readonly json?: true;
}

type Delivery = Schemas['DeliveryAnswer'];
type Detail = Schemas['DeliveryDetailAnswer'];

export async function listDeliveries({ api }: Session, options: ListOptions): Promise<void> {
  const { endpoint: endpointId, quoteId, orderId, state, sort, limit, cursor } = options;
  const given = Object.entries({
    destinations: 'all' as const,
    endpointId,
    quoteId,
    orderId,
    state,
    sort,
    cursor,
    limit,
  });
  const query = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const { text, data } = await api.call('get', '/api/webhook-deliveries', { query });
  if (options.json === true) return print(`${text}\n`);
  await print(deliveryTable(data.data));
  if (data.nextCursor !== null) note(`There are more: --cursor ${data.nextCursor}`);
}

export async function showDelivery({ api }: Session, id: string, isJson: boolean): Promise<void> {
  const { text, data } = await api.call('get', '/api/webhook-deliveries/{id}', { path: { id } });
  if (isJson) return print(`${text}\n`);
  await print(factsTable(data));
  await print(`\n${attemptTable(data)}`);
  const advice = data.attempts.at(-1)?.advice ?? null;
  if (advice !== null) await print(`\n${advice}\n`);
  await print(`\n${JSON.stringify(data.event)}\n`);
}

export async function retryDeliveries(
  { api }: Session,
  ids: readonly string[],
  isJson: boolean,
): Promise<void> {
  const retried: Delivery[] = [];
  try {
    for (const id of ids) {
      const retry = api.call('post', '/api/webhook-deliveries/{id}/retry', { path: { id } });
      const { text, data } = await about(id, retry);
      if (isJson) await print(`${text}\n`);
      retried.push(data);
    }
  } finally {
    // The deliveries that were sent before a refusal.
    if (!isJson && retried.length > 0) await print(deliveryTable(retried));
  }
}

function deliveryTable(deliveries: readonly Delivery[]): string {
  return tableOf(
    ['ID', 'STATE', 'EVENT', 'QUOTE ID', 'TO', 'ATTEMPTS', 'LAST FAILURE', 'NEXT ATTEMPT', 'WAITS FOR'],
    deliveries.map((delivery) => [
      delivery.id,
      delivery.state,
      `${delivery.sequence} ${delivery.type}`,
      delivery.quoteId,
      delivery.destination.name,
      delivery.attemptCount,
      failureOf(delivery),
      delivery.nextAttemptAt,
      delivery.waitingFor,
    ]),
  );
}

function factsTable(delivery: Detail): string {
  return factsOf([
    ['id', delivery.id],
    ['state', delivery.state],
    ['event', `${delivery.sequence} ${delivery.type} ${delivery.eventId}`],
    ['quote id', delivery.quoteId],
    ['order', delivery.orderId],
    ['to', delivery.destination.name],
    ['endpoint', delivery.destination.id],
    ['created', delivery.createdAt],
    ['next attempt', delivery.nextAttemptAt],
    ['waits for', delivery.waitingFor],
  ]);
}

function attemptTable({ attempts }: Detail): string {
  return tableOf(
    ['ATTEMPT', 'TIME', 'MS', 'ADDRESS', 'STATUS', 'FAILURE', 'CODE', 'ANSWER'],
    attempts.map(({ number, at, durationMs, address, httpStatus, failure, code, body }) => [
      number,
      at,
      durationMs,
      address,
      httpStatus,
      failure,
      code,
      body,
    ]),
  );
}

function failureOf({ lastHttpStatus, lastFailure }: Delivery): string | null {
  return lastFailure === null ? null : shortFailure(lastFailure, lastHttpStatus);
}
