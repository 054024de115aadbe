import type { ApiClient, Schemas } from '../api/api-client.ts';
import { allowed } from '../api/problem.ts';
import { failureWords } from '../output/failure-words.ts';
import { print } from '../output/print.ts';
import { styled, tableOf, textOf } from '../output/table.ts';
import { isSettled } from '../../domain/payment/payment.ts';
import { causeOf, type Delivery, isAt, readDestinations } from './told.ts';

type Payment = Schemas['PaymentAnswer'];
type Destination = Schemas['DestinationAnswer'];
type Attempt = Schemas['AttemptAnswer'];

const PAGE = 100;
/** The most destinations of which the last answer is read. */
const MOST_READ = 20;
const ENDS: ReadonlySet<string> = new Set(['payment.completed', 'payment.failed', 'payment.expired']);

/** The events of a payment that a destination knows. */
interface Told {
  readonly name: string;
  readonly destination: Destination | undefined;
  readonly deliveries: readonly Delivery[];
  /** The missing event that matters most; null: the destination has acknowledged all events. */
  readonly head: Delivery | null;
  /** The events that are not sent before `head` is acknowledged. */
  readonly behind: readonly Delivery[];
}

/** The deliveries of a payment, events without a receiver included, and the answers to the last attempts. */
export interface Receivers {
  readonly destinations: readonly Destination[];
  readonly deliveries: readonly Delivery[];
  readonly told: readonly Told[];
  /** The last attempt at the head of each destination, by the id of the delivery. */
  readonly attempts: ReadonlyMap<string, Attempt>;
  /** The time since which events had no receiver; null: each event had one. */
  readonly unreceivedSince: string | null;
}

/** Null: the role of the key may not see it. */
export async function readReceivers(api: ApiClient, quoteId: string): Promise<Receivers | null> {
  const destinations = await readDestinations(api);
  if (destinations === null) return null;
  const deliveries = await deliveriesOf(api, quoteId);
  const sent = deliveries.filter(({ destination }) => destination.kind !== 'nobody');
  const ids = [...new Set(sent.map(({ endpointId }) => endpointId))];
  const told = ids.map((id) => toldOf(deliveriesTo(id, deliveries), destinations));
  const attempts = await lastAttempts(api, told);
  const unreceivedSince = (await readUnreceived(api, quoteId))?.since ?? null;
  return { destinations, deliveries, told, attempts, unreceivedSince };
}

/** Prints which events each destination was told, which wait and why, and the commands that help. */
export async function printReceivers(receivers: Receivers, { resolution }: Payment): Promise<void> {
  const { told, attempts, destinations, unreceivedSince } = receivers;
  if (told.length > 0) await print(`\n${toldTable(told, attempts, destinations)}`);
  const advice = told.flatMap((each) => adviceFor(each, attempts));
  if (destinations.length === 0 && told.length === 0 && !isSettled(resolution))
    advice.push('No receiver: `paybell endpoints add URL`, or set RABBITMQ_URL.');
  else if (unreceivedSince !== null) advice.push(unreceivedAdvice(unreceivedSince, destinations));
  if (advice.length > 0) await print(`\n${advice.map((line) => `-> ${line}\n`).join('')}`);
}

/** Names the endpoint where there is only one. */
function unreceivedAdvice(since: string, destinations: readonly Destination[]): string {
  const [only, ...others] = destinations.filter(({ kind }) => kind === 'webhook');
  const id = only === undefined || others.length > 0 ? 'ID' : only.id;
  return `Events without a receiver: \`paybell endpoints recover ${id} --since ${since}\`.`;
}

/** The events for which there was no destination. */
async function readUnreceived(
  api: ApiClient,
  quoteId: string,
): Promise<Schemas['UntoldEventsAnswer'] | undefined> {
  const { data } = await api.call('get', '/api/payment-progress', { query: { quoteId: [quoteId] } });
  return data.data[0]?.untold.find(({ destination }) => destination.kind === 'nobody');
}

async function deliveriesOf(api: ApiClient, quoteId: string): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const place = cursor === '' ? {} : { cursor };
    const query = { quoteId, destinations: 'all' as const, limit: PAGE, ...place };
    const page: { data: Schemas['DeliveriesAnswer'] } = await api.call('get', '/api/webhook-deliveries', {
      query,
    });
    deliveries.push(...page.data.data);
    cursor = page.data.nextCursor;
  }
  return deliveries;
}

function deliveriesTo(id: string, deliveries: readonly Delivery[]): Delivery[] {
  return deliveries.filter(({ endpointId }) => endpointId === id);
}

function toldOf(deliveries: readonly Delivery[], destinations: readonly Destination[]): Told {
  const missing = deliveries
    .filter(({ state }) => state !== 'delivered')
    .toSorted((one, other) => one.sequence - other.sequence);
  const tried = missing.filter(({ state, attemptCount }) => state === 'pending' && attemptCount > 0);
  const head = tried.find(({ type }) => ENDS.has(type)) ?? tried[0] ?? missing[0] ?? null;
  const [first] = deliveries;
  return {
    name: first?.destination.name ?? '',
    destination: destinations.find((each) => first !== undefined && isAt(each, first.destination)),
    deliveries,
    head,
    behind: missing.filter((each) => each !== head && each.waitingFor === 'earlier_event'),
  };
}

/** The last attempt at the head of each destination, by its id. */
async function lastAttempts(api: ApiClient, all: readonly Told[]): Promise<ReadonlyMap<string, Attempt>> {
  const tried = all.flatMap(({ head }) => (head === null || head.attemptCount === 0 ? [] : [head.id]));
  const read = tried.slice(0, MOST_READ).map(async (id) => {
    const answer = await allowed(api.call('get', '/api/webhook-deliveries/{id}', { path: { id } }));
    return (answer?.data.attempts.slice(-1) ?? []).map((attempt) => [id, attempt] as const);
  });
  return new Map((await Promise.all(read)).flat());
}

function toldTable(
  all: readonly Told[],
  attempts: ReadonlyMap<string, Attempt>,
  destinations: readonly Destination[],
): string {
  return tableOf(
    ['DESTINATION', 'TOLD', 'LACKS', 'CAUSE', 'NEXT ATTEMPT', 'WAITS BEHIND', 'DELIVERY'],
    all.map(({ name, deliveries, head, behind }) => {
      const told = deliveries.filter(({ state }) => state === 'delivered').length;
      const cause = head === null ? null : causeIn(head, attempts.get(head.id), destinations);
      return [
        name,
        `${told} of ${deliveries.length}`,
        head === null ? null : `#${head.sequence} ${head.type}`,
        cause,
        head?.nextAttemptAt,
        behindWords(behind),
        head?.id,
      ];
    }),
  );
}

/** Adds the answer if the attempt itself is the cause. */
function causeIn(head: Delivery, attempt: Attempt | undefined, destinations: readonly Destination[]): string {
  const cause = causeOf(head, destinations);
  const { failure = null, httpStatus = null, code = null, body: text = null } = attempt ?? {};
  if (failure === null || !cause.startsWith(failureWords({ failure, httpStatus }))) return cause;
  const times = head.attemptCount > 1 ? `, ${head.attemptCount} attempts` : '';
  return `${failureWords({ failure, code, httpStatus, text })}${times}${head.state === 'failed' ? ', given up' : ''}`;
}

/** `payment.completed and 2 more`: a shop misses the end of the payment most. */
function behindWords(behind: readonly Delivery[]): string | null {
  const named = behind.find(({ type }) => ENDS.has(type)) ?? behind.at(-1);
  if (named === undefined) return null;
  return behind.length === 1 ? named.type : `${named.type} and ${behind.length - 1} more`;
}

function adviceFor({ name, head, destination }: Told, attempts: ReadonlyMap<string, Attempt>): string[] {
  if (head === null) return [];
  const { state, createdAt, waitingFor, endpointId } = head;
  const shown = styled('bold', textOf(name));
  if (destination === undefined) return [];
  if (waitingFor === 'disabled_endpoint' || destination.state === 'disabled')
    return [`${shown}: \`paybell endpoints enable ${endpointId} --recover\` once it takes events again.`];
  if (state === 'discarded')
    return [`${shown}: \`paybell endpoints recover ${endpointId} --since ${createdAt}\`.`];
  if (state === 'failed')
    return [`${shown}: \`paybell deliveries retry ${head.id}\` once it takes the event.`];
  const advice = attempts.get(head.id)?.advice ?? destination.lastFailure?.advice ?? null;
  return advice === null ? [] : [`${shown}: ${textOf(advice)}`];
}
