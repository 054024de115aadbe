import type { Telling } from './standing.ts';
import { counted } from './words.ts';

/** The most payments of an order that are named. */
const MOST_NAMED = 3;

/** `The order A-17 was paid twice: the payment 5af8… completed too.` */
export function paidTwice({ story: { payment, alsoPaidBy } }: Telling): string {
  const times = alsoPaidBy.length === 1 ? 'twice' : `${alsoPaidBy.length + 1} times`;
  const named = alsoPaidBy.slice(0, MOST_NAMED);
  const more = alsoPaidBy.length - named.length;
  const all = more > 0 ? [...named, counted(more, 'other')] : named;
  const payments = alsoPaidBy.length === 1 ? 'payment' : 'payments';
  const order = payment.orderId ?? null;
  return `The order${order === null ? '' : ` ${order}`} was paid ${times}: the ${payments} ${listed(all)} completed too.`;
}

/** `a, b and c` */
function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
