import type { ApiClient, Schemas } from '../api/api-client.ts';
import { ApiProblem } from '../api/problem.ts';
import type { Findings } from './findings.ts';

type Item = Schemas['AttentionItemAnswer'];

const ENDPOINTS = '`paybell endpoints list` shows which; mend the shop.';
const PROVIDER = '`paybell provider check`, in the environment of the service.';
const BUDGET = 'Ask the provider for a higher limit, and set its …_MAX_RPM.';
const ASK = 'and ask the provider where the money is.';

/** The advice for each cause; docs/running/alerts.md says more at its alert. */
const ADVICE: Readonly<Record<Item['code'], string>> = {
  database_failing: 'Free what it lacks: PaybellDatabaseAway in docs/running/alerts.md.',
  endpoints_disabled: ENDPOINTS,
  endpoints_failing: `${ENDPOINTS} \`paybell endpoints test ID\` then closes its circuit.`,
  endpoints_refusing:
    'Mend what refuses these orders: `paybell endpoints list`, and `paybell payments show QUOTE_ID` has the answers.',
  deliveries_failed:
    '`paybell deliveries list --state failed`, and `paybell endpoints recover` for each endpoint.',
  order_paid_twice:
    '`paybell payments list --paid-twice`; give back what is too much, and resolve that payment as a duplicate: docs/using/payments.md.',
  payments_contradicted: `\`paybell payments list --verification contradicted\`, ${ASK}`,
  deposits_unseen:
    'Show the provider the transaction in `paybell payments list --anomaly`, and resolve what it settles.',
  payments_unverified:
    'Look at what the RPCs answer: docs/running/proof.md. `paybell payments list --verification unverified` has the payments.',
  rpc_disagrees:
    'Compare them by a block explorer, and take the wrong one out of CHAIN_RPC: docs/running/proof.md.',
  rpc_stuck: 'Restart its node, or name another RPC in CHAIN_RPC: docs/running/proof.md.',
  payments_stalled: `\`paybell payments list --stalled\`, ${ASK}`,
  payments_anomaly: `\`paybell payments list --anomaly\`, ${ASK}`,
  events_unroutable: 'Bind a queue to the exchange for these types: docs/using/rabbitmq.md.',
  secrets_unreadable: 'Set the former ENCRYPTION_KEY as ENCRYPTION_KEY_PREVIOUS, and restart.',
  provider_key_refused: PROVIDER,
  provider_circuit_open: PROVIDER,
  provider_lists_unread: PROVIDER,
  log_held: 'End the transaction: PaybellEventLogHeld in docs/running/alerts.md.',
  roles_missing: 'Start a replica with this role.',
  settings_disagree: 'Give all replicas the same settings.',
  no_receiver: '`paybell endpoints list` shows the ID; docs/using/quickstart.md has how to add one.',
  broker_away:
    'Start the broker, or correct RABBITMQ_URL: docs/using/rabbitmq.md. What waits is published by itself.',
  broker_refuses:
    'Grant the permission that it names, have the full queue consumed, raise its limit, or end the alarm: docs/using/rabbitmq.md.',
  undelivered: '`paybell payments list --undelivered`, and `paybell reconcile`.',
  payments_late: '`paybell payments list --late`, and settle these orders.',
  provider_slow: 'Ask the provider why, and raise its …_TIMEOUT_MS if it stays so.',
  provider_paused: 'Wait: it is asked again by itself. Where it lasts, ask the provider why.',
  provider_slowed: BUDGET,
  provider_capacity: 'See the limits of this provider in docs/running/providers.md.',
  budget_short: BUDGET,
  quotes_unanswered:
    '`paybell quotes unanswered --tracked false`; ask the provider why, and let the shops ask again: docs/running/providers.md.',
  replicas_lost: 'Look at the end of its log, and start it again.',
};

/** Whether anybody gets the events. */
export async function examineReceivers(api: ApiClient, findings: Findings): Promise<void> {
  try {
    const { data } = await api.call('get', '/api/destinations');
    const names = data.data.map(({ name }) => name);
    if (names.length > 0) return findings.ok('receivers', names.join('; '));
    findings.warning(
      'receivers',
      'there is no endpoint, and RabbitMQ is off: nobody is told of any event',
      '`paybell endpoints add URL`, or set RABBITMQ_URL.',
    );
  } catch (error) {
    if (!isHidden(error)) throw error;
  }
}

/** Reads from the running Paybell what a person is needed for. */
export async function examineAttention(api: ApiClient, findings: Findings): Promise<void> {
  try {
    const { data } = await api.call('get', '/api/attention');
    for (const item of data.items) noteItem(item, findings);
    if (data.items.length === 0) findings.ok('attention', 'nothing needs a person');
  } catch (error) {
    if (!isHidden(error)) throw error;
    findings.off('attention', 'the role of this key does not show it');
  }
}

/** The role of the key may not see it. */
function isHidden(error: unknown): boolean {
  return error instanceof ApiProblem && error.httpStatus === 403;
}

function noteItem({ code, severity, detail, endpoints }: Item, findings: Findings): void {
  const words = [detail, ...endpoints.map(({ id, url }) => `${id} ${url}`)].join(' ');
  if (severity === 'bad') findings.wrong(`attention ${code}`, words, ADVICE[code]);
  else findings.warning(`attention ${code}`, words, ADVICE[code]);
}
