import type { ApiClient, Schemas } from '../api/api-client.ts';
import { allowed } from '../api/problem.ts';
import { NOBODY_KIND } from '../../domain/event/told.ts';
import { ADVICE, adviceOn } from './advice.ts';
import type { Findings } from './findings.ts';

type Item = Schemas['AttentionItemAnswer'];

/** The most receivers that are named. */
const MOST_NAMED = 5;
const TAKES_EVENTS: ReadonlySet<string> = new Set(['ok', 'refusing', 'recovering']);
/** The items of attention about receivers that take no events. */
const SAYS_WHY = /^(?:undelivered|no_receiver|endpoints_disabled|endpoints_failing|broker_away)$/;

/** Reads the items that need a person. Null: the key's role may not see them. */
export async function readItems(api: ApiClient): Promise<readonly Item[] | null> {
  const answer = await allowed(api.call('get', '/api/attention'));
  return answer?.data.items ?? null;
}

export function noteItems(items: readonly Item[] | null, findings: Findings): void {
  if (items === null) return findings.off('attention', 'the role of this key does not show it');
  if (items.length === 0) return findings.ok('attention', 'nothing needs a person');
  for (const item of items.filter((each) => !isSaidByNoReceiver(each, items))) {
    const { code, severity, detail, endpoints } = item;
    const words = [detail, ...endpoints.map(({ id, url }) => `${id} ${url}`)].join(' ');
    if (severity === 'bad') findings.wrong(`attention ${code}`, words, adviceOn(item));
    else findings.warning(`attention ${code}`, words, adviceOn(item));
  }
}

/** Events that had no receiver, and no others, are undelivered. */
function isSaidByNoReceiver({ code, destinations }: Item, items: readonly Item[]): boolean {
  return (
    code === 'undelivered' &&
    destinations?.every(({ destination }) => destination.kind === NOBODY_KIND) === true &&
    items.some((each) => each.code === 'no_receiver')
  );
}

/** Notes the receivers that take events. An item of attention names those that do not. */
export async function noteReceivers(
  api: ApiClient,
  items: readonly Item[] | null,
  findings: Findings,
): Promise<void> {
  const answer = await allowed(api.call('get', '/api/destinations'));
  if (answer === null) return;
  const all = answer.data.data;
  const names = all.filter(({ state }) => TAKES_EVENTS.has(state)).map(({ name }) => name);
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  if (names.length > 0) return findings.ok('receivers', `${names.slice(0, MOST_NAMED).join('; ')}${more}`);
  if (items?.some(({ code }) => SAYS_WHY.test(code)) === true) return;
  if (all.length > 0) return findings.warning('receivers', stuckWords(all), ADVICE.stuck);
  const detail = 'there is no endpoint, and RabbitMQ is off: no events are sent';
  findings.warning('receivers', detail, ADVICE.receivers);
}

function stuckWords(all: readonly Schemas['DestinationAnswer'][]): string {
  const each = all.slice(0, MOST_NAMED).map(({ name, state }) => `${name} (${state})`);
  return `no receiver takes events now: ${each.join('; ')}${all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : ''}`;
}
