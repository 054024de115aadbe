import type { ApiClient, Schemas } from '../api/api-client.ts';
import { allowed } from '../api/problem.ts';
import { ADVICE, adviceOn } from './advice.ts';
import type { Findings } from './findings.ts';

type Item = Schemas['AttentionItemAnswer'];

/** The most receivers that are named. */
const MOST_NAMED = 5;
const ALL_DISABLED = 'every endpoint is disabled: no events are sent';

/** Reads the items that need a person. Null: the key's role may not see them. */
export async function readItems(api: ApiClient): Promise<readonly Item[] | null> {
  const answer = await allowed(api.call('get', '/api/attention'));
  return answer?.data.items ?? null;
}

export function noteItems(items: readonly Item[] | null, findings: Findings): void {
  if (items === null) return findings.off('attention', 'the role of this key does not show it');
  if (items.length === 0) return findings.ok('attention', 'nothing needs a person');
  for (const item of items) {
    const { code, severity, detail, endpoints } = item;
    const words = [detail, ...endpoints.map(({ id, url }) => `${id} ${url}`)].join(' ');
    if (severity === 'bad') findings.wrong(`attention ${code}`, words, adviceOn(item));
    else findings.warning(`attention ${code}`, words, adviceOn(item));
  }
}

/** Notes the receivers of events. */
export async function noteReceivers(api: ApiClient, findings: Findings): Promise<void> {
  const answer = await allowed(api.call('get', '/api/destinations'));
  if (answer === null) return;
  const all = answer.data.data;
  const names = all.filter(({ state }) => state !== 'disabled').map(({ name }) => name);
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  if (names.length > 0) return findings.ok('receivers', `${names.slice(0, MOST_NAMED).join('; ')}${more}`);
  if (all.length > 0) return findings.warning('receivers', ALL_DISABLED, ADVICE.disabled);
  const detail = 'there is no endpoint, and RabbitMQ is off: no events are sent';
  findings.warning('receivers', detail, ADVICE.receivers);
}
