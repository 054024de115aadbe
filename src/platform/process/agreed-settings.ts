import { createHmac } from 'node:crypto';

import { type Config, type Role, ROLES } from '../../config/config.ts';
import { KEYED, UNSET } from '../../domain/replicas/disagreements.ts';

interface Agreed {
  /** The processes that use it. */
  readonly roles: readonly Role[];
  readonly of: (config: Config) => unknown;
  readonly isSecret?: boolean;
}

const ASKING: readonly Role[] = ['api', 'tracker'];
const SENDING: readonly Role[] = ['dispatcher'];
/** Enough that two values hardly share it, and too few to tell anything else. */
const SHOWN_DIGITS = 12;
/** A secret where there is no key: such a process has a database of its own, and nothing to agree with. */
const SET = 'set';

/** The settings that replicas on one database must share, by the variable. */
const AGREED: Readonly<Record<string, Agreed>> = {
  API_KEYS: { roles: ['api'], of: ({ apiKeys }) => apiKeys, isSecret: true },
  AUDIT_RETENTION_DAYS: { roles: ['tracker'], of: ({ auditRetentionDays }) => auditRetentionDays },
  ENCRYPTION_KEY: { roles: ROLES, of: ({ encryptionKey }) => encryptionKey?.toString('base64') },
  EVENT_SOURCE: { roles: ROLES, of: ({ eventSource }) => eventSource },
  LATE_WATCH_SECONDS: { roles: ASKING, of: ({ lateWatchMs }) => lateWatchMs },
  ONECLICK_API_KEY: { roles: ASKING, of: ({ oneClick }) => oneClick.apiKey, isSecret: true },
  ONECLICK_APP_FEES: { roles: ASKING, of: ({ oneClick }) => oneClick.appFees },
  ONECLICK_BASE_URL: { roles: ASKING, of: ({ oneClick }) => oneClick.baseUrl },
  ONECLICK_MAX_RPM: { roles: ASKING, of: ({ oneClick }) => oneClick.maxRpm },
  ONECLICK_PARTIAL: { roles: ASKING, of: ({ oneClick }) => oneClick.partial },
  ONECLICK_QUOTE_KEY: { roles: ASKING, of: ({ oneClick }) => oneClick.quoteKey },
  ONECLICK_QUOTE_TTL_SECONDS: { roles: ASKING, of: ({ oneClick }) => oneClick.quoteTtlSeconds },
  ONECLICK_REFERRAL: { roles: ASKING, of: ({ oneClick }) => oneClick.referral },
  ONECLICK_REFUND_TO: {
    roles: ASKING,
    of: ({ oneClick }) => [...oneClick.refundTo].toSorted(([one], [other]) => one.localeCompare(other)),
  },
  ONECLICK_SLIPPAGE_BPS: { roles: ASKING, of: ({ oneClick }) => oneClick.slippageBps },
  ONECLICK_TIMEOUT_MS: { roles: ASKING, of: ({ oneClick }) => oneClick.timeoutMs },
  ONECLICK_VERIFY_QUOTES: { roles: ASKING, of: ({ oneClick }) => oneClick.verifiesQuotes },
  POLL_INTERVAL_MS: { roles: ASKING, of: ({ pollIntervalMs }) => pollIntervalMs },
  POLL_MIN_GAP_MS: { roles: ASKING, of: ({ pollMinGapMs }) => pollMinGapMs },
  PROVIDER: { roles: ASKING, of: ({ provider }) => provider },
  PROVIDER_API_KEY: { roles: ASKING, of: ({ providerApiKey }) => providerApiKey, isSecret: true },
  PROVIDER_AUTH: { roles: ASKING, of: ({ providerAuth }) => providerAuth },
  PROVIDER_BASE_URL: { roles: ASKING, of: ({ providerBaseUrl }) => providerBaseUrl },
  PROVIDER_MAX_RPM: { roles: ASKING, of: ({ providerMaxRpm }) => providerMaxRpm },
  RABBITMQ_EVENT_QUEUE: { roles: SENDING, of: ({ rabbitmqEventQueue }) => rabbitmqEventQueue },
  RABBITMQ_EXCHANGE: { roles: SENDING, of: ({ rabbitmqExchange }) => rabbitmqExchange },
  // Replicas may name the brokers of a cluster in another order.
  RABBITMQ_URL: { roles: SENDING, of: ({ rabbitmqUrls }) => (rabbitmqUrls === null ? null : 'set') },
  RELAY_API_KEY: { roles: ASKING, of: ({ relay }) => relay.apiKey, isSecret: true },
  RELAY_APP_FEES: { roles: ASKING, of: ({ relay }) => relay.appFees },
  RELAY_BASE_URL: { roles: ASKING, of: ({ relay }) => relay.baseUrl },
  RELAY_MAX_QUOTES_RPM: { roles: ASKING, of: ({ relay }) => relay.maxQuotesRpm },
  RELAY_QUOTE_TTL_SECONDS: { roles: ASKING, of: ({ relay }) => relay.quoteTtlSeconds },
  RELAY_REFUND_TO: {
    roles: ASKING,
    of: ({ relay }) => [...relay.refundTo].toSorted(([one], [other]) => one.localeCompare(other)),
  },
  RELAY_UNDERPAID: { roles: ASKING, of: ({ relay }) => relay.underpaid },
  RETENTION_DAYS: { roles: ['tracker'], of: ({ retentionDays }) => retentionDays },
  SANDBOX_AUTOPAY: { roles: ASKING, of: ({ sandboxAutopay }) => sandboxAutopay },
  SANDBOX_SPEED: { roles: ASKING, of: ({ sandboxSpeed }) => sandboxSpeed },
  STALLED_AFTER_SECONDS: { roles: ASKING, of: ({ stalledAfterMs }) => stalledAfterMs },
  WEBHOOK_ALLOWED_CIDRS: {
    roles: ['api', 'dispatcher'],
    of: ({ webhookAllowedCidrs }) => webhookAllowedCidrs,
  },
  WEBHOOK_ALLOW_HTTP: { roles: ['api', 'dispatcher'], of: ({ webhookAllowHttp }) => webhookAllowHttp },
  WEBHOOK_LANE_PATIENCE_SECONDS: { roles: SENDING, of: ({ webhookLanePatienceMs }) => webhookLanePatienceMs },
  WEBHOOK_MAX_ENDPOINTS: { roles: ['api'], of: ({ webhookMaxEndpoints }) => webhookMaxEndpoints },
  WEBHOOK_RETRY_SCHEDULE: { roles: SENDING, of: ({ webhookRetryScheduleMs }) => webhookRetryScheduleMs },
};

/** Fingerprints of the settings that must agree and that a process with these roles uses. No value can be read from them. */
export function fingerprintsOf(config: Config): Record<string, string> {
  const used = Object.entries(AGREED).filter(([, { roles }]) => roles.some((role) => config.roles.has(role)));
  return Object.fromEntries(used.map(([name, agreed]) => [name, fingerprintOf(name, agreed, config)]));
}

/** A weak secret could be guessed from a plain hash: its fingerprint is made with ENCRYPTION_KEY. */
function fingerprintOf(name: string, { of, isSecret = false }: Agreed, config: Config): string {
  const value = of(config) ?? null;
  if (value === null) return UNSET;
  const { encryptionKey } = config;
  if (!isSecret) return digest(name, value, '');
  if (encryptionKey === null) return SET;
  return `${digest('key', encryptionKey.toString('base64'), '')}${KEYED}${digest(name, value, encryptionKey)}`;
}

function digest(name: string, value: unknown, key: Buffer | string): string {
  const hmac = createHmac('sha256', key).update(`${name} ${JSON.stringify(value) ?? ''}`);
  return hmac.digest('hex').slice(0, SHOWN_DIGITS);
}
