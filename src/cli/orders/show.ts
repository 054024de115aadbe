import { sayOrder } from '../../domain/story/say-order.ts';
import type { Schemas } from '../api/api-client.ts';
import type { Session } from '../api/session.ts';
import { note, print } from '../output/print.ts';
import { factsOf, tableOf } from '../output/table.ts';
import { paymentTable } from '../payments/list.ts';

type Order = Schemas['OrderAnswer'];

export async function showOrder({ api }: Session, orderId: string, isJson: boolean): Promise<void> {
  const { text, data } = await api.call('get', '/api/orders/{orderId}', { path: { orderId } });
  if (isJson) return print(`${text}\n`);
  const { payments, open, completed, resolved, sums, nextCursor } = data;
  await print(
    `${sayOrder(data)}\n\n${factsOf([
      ['order', orderId],
      ['open', named(open)],
      ['completed', named(completed)],
      ['resolved', named(resolved)],
    ])}`,
  );
  await print(`\n${paymentTable(payments)}`);
  if (sums.send.length > 0) await print(`\n${sumTable(sums)}`);
  if (nextCursor !== null)
    note(`There are more: paybell payments list --order-id ${orderId} --cursor ${nextCursor}`);
}

function sumTable({ send, receive }: Order['sums']): string {
  return tableOf(
    ['TOKEN', 'CHAIN', 'ASKED', 'CAME', 'PROMISED', 'ARRIVED'],
    [
      ...send.map(({ symbol, token, chainId, asked, came }) => [
        symbol ?? token,
        chainId,
        asked,
        came,
        null,
        null,
      ]),
      ...receive.map(({ symbol, token, chainId, promised, arrived }) => {
        return [symbol ?? token, chainId, null, null, promised, arrived];
      }),
    ],
  );
}

function named(quoteIds: readonly string[]): string | null {
  return quoteIds.length === 0 ? null : quoteIds.join(' ');
}
