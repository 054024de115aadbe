import { NOBODY_KIND } from '../../domain/event/told.ts';
import { MOST_LISTED, type PaymentNeeds } from '../../ports/attention.ts';
import type { DestinationFacts } from '../../ports/destination-facts.ts';
import { sayUntold } from '../../ports/say-untold.ts';
import type { ConnectionTrouble } from '../../ports/readiness.ts';
import type { Untold, UntoldAt } from '../../ports/untold-payments.ts';
import { type AttentionItem, counted, itemOf, verb } from './attention-item.ts';

const MINUTE_MS = 60_000;
/** The most endpoints that the sentence has a command for. */
const MOST_TOLD = 3;

/** The facts that an item about untold payments names beside their number. */
export interface BesideUntold {
  /** The untold payments without another trouble, and how many have one; null: not known. */
  readonly needs: Pick<PaymentNeeds, 'untold' | 'untoldInTrouble'> | null;
  readonly known: readonly DestinationFacts[];
}

/** Which destinations were not told, and which events had none. */
export function untoldItems(
  { destinations, ...upTo }: Untold,
  { needs, known }: BesideUntold,
): AttentionItem[] {
  if (upTo.count === 0) return [];
  const unsent = known.filter(
    ({ id, enabled }) => enabled && destinations.some(({ destination }) => destination.id === id),
  );
  const detail = [
    `${sayUntold({ destinations, ...upTo })}.`,
    ...unsent.flatMap(unsentWords).slice(0, MOST_TOLD),
    ...elsewhereWords(needs?.untoldInTrouble ?? 0),
  ];
  const nobody = destinations.find(({ destination }) => destination.kind === NOBODY_KIND);
  const examples = needs?.untold.examples ?? [];
  const isNobodyAlone = nobody !== undefined && destinations.length === 1;
  const item = itemOf('undelivered', {
    ...upTo,
    detail: detail.join(' '),
    destinations: destinations.slice(0, MOST_LISTED),
    examples: isNobodyAlone ? [] : examples,
  });
  if (nobody === undefined) return [item];
  return [item, { ...noReceiverItem(nobody, known), examples: isNobodyAlone ? examples : [] }];
}

/** The command that sends an endpoint the events that it was not sent while it was disabled. */
export function unsentWords({ rowId, name, enabled, unsent }: DestinationFacts): string[] {
  if (unsent.count === 0) return [];
  const events = counted(unsent, 'event');
  const command = enabled
    ? `${recoverCommand(unsent.since, rowId)} sends`
    : `\`paybell endpoints enable ${rowId} --recover\` (needs an admin key) enables it and sends`;
  return [
    `${events} ${verb(unsent.count, 'was', 'were')} not sent to ${name} while it was disabled: ${command} ${verb(unsent.count, 'it', 'them')}.`,
  ];
}

/** A payment with a trouble of its own is named in the item of that trouble. */
function elsewhereWords(others: number): string[] {
  if (others === 0) return [];
  const need = verb(
    others,
    'needs a person for another reason, and is',
    'need a person for other reasons, and are',
  );
  return [`${others} of them ${need} named there.`];
}

/** Names the endpoint that was created since, if there is only one. */
function noReceiverItem(
  { destination: _destination, ...upTo }: UntoldAt,
  known: readonly DestinationFacts[],
): AttentionItem {
  const had = verb(upTo.count, 'It had', 'They had');
  const [first, ...others] = known.filter(({ kind, enabled }) => kind === 'webhook' && enabled);
  const only = others.length === 0 ? first : undefined;
  const remedy =
    first === undefined
      ? `no receiver: add an endpoint, or set RABBITMQ_URL. Then ${recoverCommand(upTo.since)}`
      : `no receiver then: ${recoverCommand(upTo.since, only?.rowId)}`;
  const detail = `Nobody was told the news of ${counted(upTo, 'payment').replace(/^At/, 'at')}. ${had} ${remedy} sends these events to ${only?.name ?? 'an endpoint'}.`;
  return itemOf('no_receiver', { ...upTo, detail });
}

/** Begins a minute before the first event: an event is recorded a moment after its time. */
export function recoverCommand(since: Date | null, id = 'ID'): string {
  const from =
    since === null
      ? 'TIME'
      : new Date((Math.floor(since.getTime() / MINUTE_MS) - 1) * MINUTE_MS).toISOString();
  return `\`paybell endpoints recover ${id} --since ${from}\``;
}

/** The trouble that keeps events from RabbitMQ; `name` is its exchange's. */
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
