import type { PaymentTrouble, TROUBLE_CODES } from '../../domain/attention/payment-troubles.ts';
import type { Schemas } from '../api/api-client.ts';

type Item = Schemas['AttentionItemAnswer'];
type Need = (typeof TROUBLE_CODES)[PaymentTrouble];

const BUDGET = 'Ask the provider for a higher limit, and set its …_MAX_RPM.';
const PROVIDER =
  '`paybell provider check` in the environment of the service, and docs/running/alerts.md#paybellprovidercircuit.';
const RECEIVER =
  '`paybell endpoints add URL` with an admin key, or set RABBITMQ_URL: docs/using/quickstart.md#add-a-webhook-endpoint.';
const RPC = 'docs/running/proof.md#the-rpcs.';

/** The list has the payments that the item counts. */
function listOf(code: Need): string {
  return `\`paybell payments list --attention ${code}\`: docs/running/alerts.md#${code}.`;
}

/** The remedy for each item of attention. ENDPOINT_ID becomes the id of the endpoint where there is one. */
export const ITEM_ADVICE: Readonly<Record<Item['code'], string>> = {
  database_failing: 'Mend what the sentence names: docs/running/alerts.md#paybelldatabaseaway.',
  endpoints_disabled:
    '`paybell endpoints enable ENDPOINT_ID --recover` once the shop works, or `paybell endpoints delete ENDPOINT_ID`: both need an admin key.',
  endpoints_failing:
    'Mend the shop; `paybell endpoints test ENDPOINT_ID` then closes its circuit: docs/running/alerts.md#paybellendpointcircuit.',
  endpoints_refusing:
    'Mend what refuses these orders: `paybell payments show ORDER_ID` has the answer to each.',
  deliveries_failed:
    '`paybell deliveries list --state failed`; once the shop works, `paybell endpoints recover ENDPOINT_ID --since 1d`.',
  order_paid_twice: listOf('order_paid_twice'),
  payments_contradicted: listOf('payments_contradicted'),
  deposits_unseen: listOf('deposits_unseen'),
  payments_unverified: listOf('payments_unverified'),
  rpc_disagrees: 'Take the RPC that is wrong out of CHAIN_RPC: docs/running/alerts.md#rpc_disagrees.',
  rpc_stuck: `Restart the node, or name another RPC in CHAIN_RPC: ${RPC}`,
  payments_stalled: listOf('payments_stalled'),
  payments_anomaly: listOf('payments_anomaly'),
  payments_short: listOf('payments_short'),
  payments_wrong_sum: listOf('payments_wrong_sum'),
  events_unroutable:
    'Bind a queue for these types: docs/using/rabbitmq.md#events-that-no-queue-is-bound-for.',
  secrets_unreadable:
    'Set the former ENCRYPTION_KEY as ENCRYPTION_KEY_PREVIOUS and restart, or `paybell endpoints rotate ENDPOINT_ID` with an admin key.',
  provider_key_refused: PROVIDER,
  provider_circuit_open: PROVIDER,
  provider_lists_unread:
    'Look whether the host of its base URL can be reached from here: docs/running/alerts.md#paybellproviderunread.',
  log_held: 'End that transaction: docs/running/alerts.md#paybelleventlogheld.',
  roles_missing: 'Start a replica with this role: docs/running/deployment.md#roles.',
  settings_disagree: 'Give all replicas the same settings: docs/running/alerts.md#settings_disagree.',
  no_receiver:
    'Run the command of the sentence once there is an endpoint; `paybell endpoints add URL` with an admin key adds one: docs/using/quickstart.md#add-a-webhook-endpoint.',
  broker_away: 'Start the broker, or correct RABBITMQ_URL. Paybell publishes what waits by itself.',
  broker_refuses:
    'Grant the permission that the sentence names, have the full queue consumed, or end the alarm: docs/using/rabbitmq.md.',
  undelivered:
    '`paybell payments list --undelivered` says where and why; `paybell payments show QUOTE_ID` says what to do.',
  payments_late: listOf('payments_late'),
  provider_slow: 'Ask the provider why, and raise its …_TIMEOUT_MS if it stays so.',
  provider_paused: 'Wait: Paybell asks it again by itself. If it lasts, ask the provider why.',
  provider_slowed: BUDGET,
  provider_capacity: 'Wait until quotes end, or raise the limit: docs/running/alerts.md#provider_capacity.',
  budget_short: `${BUDGET} docs/running/alerts.md#paybellbudgetshort.`,
  quotes_unanswered: '`paybell quotes unanswered --tracked false`: docs/running/alerts.md#quotes_unanswered.',
  replicas_lost: 'Read the end of its log, and start it again: docs/running/alerts.md#paybellreplicadown.',
};

/** The remedy for each check of /health/ready that is not ok. */
export const CHECK_ADVICE = {
  database: 'Start PostgreSQL, or correct DATABASE_URL of the service.',
  rabbitmq:
    'Start the broker, correct RABBITMQ_URL, or end what makes it refuse: docs/using/rabbitmq.md. Paybell publishes what waits by itself.',
  provider: PROVIDER,
  deliveries:
    '`paybell payments list --undelivered` says where and why; `paybell payments show QUOTE_ID` says what to do.',
  secrets: ITEM_ADVICE.secrets_unreadable,
  log: ITEM_ADVICE.log_held,
  clock: 'Run NTP on both machines: docs/running/monitoring.md#clocks.',
  replicas: ITEM_ADVICE.settings_disagree,
  other: 'Read the log of that process: docs/running/troubleshooting.md has its messages.',
} as const satisfies Readonly<Record<string, string>>;

/** The remedies for all other findings. */
export const ADVICE = {
  slow: 'Ask again once the machine has less to do.',
  service: 'Start Paybell with the role api, or correct PAYBELL_URL.',
  key: 'Make a key with `paybell keys add NAME --role operator`, beside the database.',
  otherRelease: 'Use the command of the same release.',
  receivers: RECEIVER,
  stuck: '`paybell endpoints list` says why; `paybell endpoints add URL` with an admin key adds another one.',
  client: 'Correct these variables: docs/running/configuration.md#command-line.',
  configuration: 'Correct these variables: docs/running/configuration.md.',
  embedded: 'Start Paybell on this DATA_DIR, or set DATABASE_URL.',
  database: 'Check DATABASE_URL, that PostgreSQL runs, and that it lets this user in (pg_hba.conf).',
  postgres: 'Paybell needs PostgreSQL 14 or later.',
  encoding: 'The database must be UTF8: create another one.',
  readOnly: 'Lead DATABASE_URL to the primary server.',
  connections: 'Raise max_connections, or lower DATABASE_POOL_SIZE.',
  rights: 'GRANT them to the user of DATABASE_URL, or make it the owner of the tables: it migrates them.',
  migrations: 'Start this Paybell: it applies them.',
  laterRelease: 'Use the command of that release: docs/running/upgrades.md.',
  clock: CHECK_ADVICE.clock,
  full: 'Make room: PostgreSQL stops when the disk is full.',
  dataDir: 'Let this user read and write DATA_DIR.',
  broker: 'Check RABBITMQ_URL, that the broker runs, and that its user may configure and write there.',
  provider: '`paybell provider check` tries more; docs/running/providers.md has its settings.',
  proof: 'Set CHAIN_RPC: docs/running/proof.md#the-rpcs.',
  rpc: `Name another RPC in CHAIN_RPC: ${RPC}`,
  /** Another RPC would not help. */
  chain:
    'Take the chain out of CHAIN_RPC: VERIFY=require refuses its quotes, and VERIFY_UNPROVABLE=allow completes them by word.',
} as const satisfies Readonly<Record<string, string>>;

/** The advice for an item; names the endpoint if there is only one. */
export function adviceOn({ code, endpoints }: Item): string {
  const [only, ...others] = endpoints;
  const isOne = only !== undefined && others.length === 0;
  return isOne ? ITEM_ADVICE[code].replaceAll('ENDPOINT_ID', only.id) : ITEM_ADVICE[code];
}
