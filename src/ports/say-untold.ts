import type { Untold, UntoldAt } from './untold-payments.ts';

/** How many destinations the sentence names. */
const MOST_NAMED = 3;

/** `2 payments have news that a destination was not told: 1 at shop EU, 1 at RabbitMQ (exchange payments)` */
export function sayUntold({ count, isMore, destinations }: Untold): string {
  const payments = `${isMore ? 'At least ' : ''}${count} ${count === 1 ? 'payment' : 'payments'}`;
  const has = count === 1 && !isMore ? 'has' : 'have';
  return `${payments} ${has} news that a destination was not told: ${placesIn(destinations)}`;
}

function placesIn(destinations: readonly UntoldAt[]): string {
  const named = destinations
    .slice(0, MOST_NAMED)
    .map(({ destination, count, isMore }) => `${count}${isMore ? ' or more' : ''} at ${destination.name}`);
  const others = destinations.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more destinations`] : [])]
    .join(', ')
    .replace('at no receiver', 'without a receiver');
}
