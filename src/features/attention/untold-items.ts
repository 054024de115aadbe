import { NOBODY_KIND } from '../../domain/event/told.ts';
import { MOST_LISTED } from '../../ports/attention.ts';
import { sayUntold } from '../../ports/say-untold.ts';
import type { ConnectionTrouble } from '../../ports/readiness.ts';
import type { Untold, UntoldAt } from '../../ports/untold.ts';
import { type AttentionItem, counted, itemOf, verb } from './attention-item.ts';

const MINUTE_MS = 60_000;

/** Which destinations were not told, and which events had none. */
export function untoldItems({ destinations, ...upTo }: Untold): AttentionItem[] {
  if (upTo.count === 0) return [];
  const detail = `${sayUntold({ destinations, ...upTo })}.`;
  const item = itemOf('undelivered', {
    ...upTo,
    detail,
    destinations: destinations.slice(0, MOST_LISTED),
  });
  const nobody = destinations.find(({ destination }) => destination.kind === NOBODY_KIND);
  return nobody === undefined ? [item] : [item, noReceiverItem(nobody)];
}

function noReceiverItem({ destination: _destination, ...upTo }: UntoldAt): AttentionItem {
  const had = verb(upTo.count, 'It had', 'They had');
  const detail = `Nobody was told the news of ${counted(upTo, 'payment').replace(/^At/, 'at')}. ${had} no receiver: add an endpoint, or set RABBITMQ_URL. Then ${recoverCommand(upTo.since)} sends these events to an endpoint.`;
  return itemOf('no_receiver', { ...upTo, detail });
}

/** From the minute of the first event on. */
export function recoverCommand(since: Date | null): string {
  const from =
    since === null ? 'TIME' : new Date(Math.floor(since.getTime() / MINUTE_MS) * MINUTE_MS).toISOString();
  return `\`paybell endpoints recover ID --since ${from}\``;
}

/** The trouble that keeps events from RabbitMQ; `name`: of its exchange. */
export function brokerItems(name: string, [trouble]: readonly ConnectionTrouble[]): AttentionItem[] {
  if (trouble === undefined) return [];
  const { problem, detail, since } = trouble;
  if (problem === 'away')
    return [
      itemOf('broker_away', {
        since,
        detail: `${name} cannot be reached: ${detail}. Events wait in the database.`,
      }),
    ];
  return [
    itemOf('broker_refuses', { since, detail: `${name} refuses events: ${detail}. They are sent again.` }),
  ];
}
