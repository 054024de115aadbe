import { EnvReader, InvalidConfig, type NamedKey } from './env-reader.ts';
import {
  checkBaseUrl,
  requireProvider,
  checkSpecUrl,
  keyOf,
  readRelay,
  RELAY_READS_RPM,
  type RelaySettings,
  type WalletProblem,
} from './provider-settings.ts';
import { readOneClick, type OneClickSettings } from './oneclick-settings.ts';
import { readBrokerUrls, readOrigin, readPostgresUrls, readProxies } from './address-lists.ts';
import { checkQueues, readCa } from './rabbitmq-settings.ts';
import { readTracing, type TracingSettings } from './tracing-settings.ts';

export const ROLES = ['api', 'tracker', 'dispatcher'] as const;
export type Role = (typeof ROLES)[number];

/** Who may read: everyone, clients with an API key, or no one. */
export const ACCESS = ['open', 'key', 'off'] as const;
export type Access = (typeof ACCESS)[number];

const PROVIDERS = ['http', 'relay', 'oneclick', 'sandbox'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const HOUR_MS = 3_600_000;
const RETRY_SCHEDULE = '5s,15s,30s,1m,2m,5m,15m,30m,1h,2h,4h,8h,12h,24h,24h';

/** No browser opens these: they mean all addresses of this machine. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export interface ConfigChecks {
  /** False for work on the database alone, which is the same with every provider. */
  readonly asksProvider?: boolean;
  /** Without it the addresses of RELAY_REFUND_TO are not checked. */
  readonly walletProblem?: WalletProblem;
}

/** All settings, read once at the start and nowhere else. Durations are in milliseconds unless the name says otherwise. */
export class Config {
  readonly host: string;
  readonly port: number;
  /** The origin under which browsers reach the pages; null: that of each request. */
  readonly publicUrl: string | null;
  /** The addresses and ranges whose forwarded headers count. */
  readonly trustedProxies: readonly string[];
  /** Whether the role `api` serves the pages under /dashboard. */
  readonly dashboard: boolean;
  /** Tried in turn; null: the embedded PostgreSQL in `dataDir`. */
  readonly databaseUrls: readonly string[] | null;
  /** A way past a pooler for migrations; null: they go as all statements do. */
  readonly databaseDirectUrls: readonly string[] | null;
  readonly databasePoolSize: number;
  readonly dataDir: string;
  /** Tried in turn. */
  readonly rabbitmqUrls: readonly string[] | null;
  readonly rabbitmqExchange: string;
  /** When set, a durable quorum queue that is bound for all events. */
  readonly rabbitmqEventQueue: string | null;
  /** When set, internal services request the tracking of quotes by messages to this queue. */
  readonly rabbitmqTrackQueue: string | null;
  /** The certificate authorities, as PEM, that `amqps://` trusts instead of the well-known ones. */
  readonly rabbitmqCa: string | null;
  readonly provider: (typeof PROVIDERS)[number];
  readonly providerBaseUrl: string | null;
  readonly providerApiKey: string | null;
  readonly providerAuth: 'x-api-key' | 'bearer';
  readonly providerTimeoutMs: number;
  readonly providerMaxRpm: number;
  readonly providerMaxConcurrency: number;
  readonly relay: RelaySettings;
  readonly oneClick: OneClickSettings;
  readonly pollIntervalMs: number;
  readonly pollMinGapMs: number;
  readonly lateWatchMs: number;
  readonly stalledAfterMs: number;
  /** Null: one key is generated at the first start and printed once. */
  readonly apiKeys: readonly NamedKey[] | null;
  /** Null: generated into `dataDir`. */
  readonly encryptionKey: Buffer | null;
  /** Decrypts the secrets that are not re-encrypted with `encryptionKey` yet. */
  readonly encryptionKeyPrevious: Buffer | null;
  readonly webhookTimeoutMs: number;
  /** For each endpoint. */
  readonly webhookMaxConcurrency: number;
  /** How many endpoints may exist. */
  readonly webhookMaxEndpoints: number;
  readonly webhookRetryScheduleMs: readonly number[];
  readonly webhookLanePatienceMs: number;
  readonly webhookAllowedCidrs: readonly string[];
  readonly webhookAllowHttp: boolean;
  readonly eventSource: string;
  /** Who may read `/metrics`. */
  readonly metrics: Access;
  /** Who may read `/docs`, `/openapi.json`, `/asyncapi.json` and `/schemas`. */
  readonly docs: Access;
  readonly roles: ReadonlySet<Role>;
  readonly retentionDays: number;
  readonly auditRetentionDays: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly sandboxSpeed: number;
  readonly sandboxAutopay: boolean;
  /** Null: tracing is off. */
  readonly tracing: TracingSettings | null;

  constructor(
    env: Readonly<Record<string, string | undefined>>,
    { asksProvider = true, walletProblem = () => null }: ConfigChecks = {},
  ) {
    const read = new EnvReader(env);
    this.host = read.text('HOST', '127.0.0.1');
    this.port = read.integer('PORT', 3000, 0, 65_535);
    this.publicUrl = readOrigin(read, 'PUBLIC_URL');
    this.trustedProxies = readProxies(read, 'TRUSTED_PROXIES');
    this.dashboard = read.flag('DASHBOARD', true);
    this.databaseUrls = readPostgresUrls(read, 'DATABASE_URL');
    this.databaseDirectUrls = readPostgresUrls(read, 'DATABASE_DIRECT_URL');
    this.databasePoolSize = read.integer('DATABASE_POOL_SIZE', 10, 2, 200);
    this.dataDir = read.text('DATA_DIR', './.paybell');
    this.rabbitmqUrls = readBrokerUrls(read, 'RABBITMQ_URL');
    this.rabbitmqExchange = read.text('RABBITMQ_EXCHANGE', 'payments', 127);
    this.rabbitmqEventQueue = read.optional('RABBITMQ_EVENT_QUEUE');
    this.rabbitmqTrackQueue = read.optional('RABBITMQ_TRACK_QUEUE');
    checkQueues(read, this);
    this.rabbitmqCa = readCa(read, read.optional('RABBITMQ_CA_FILE'), this.rabbitmqUrls);
    if (asksProvider && this.databaseUrls !== null) requireProvider(read);
    this.providerBaseUrl = read.url('PROVIDER_BASE_URL', ['http:', 'https:']);
    this.provider = read.choice('PROVIDER', this.providerBaseUrl === null ? 'sandbox' : 'http', PROVIDERS);
    this.providerApiKey = keyOf(read, 'PROVIDER_API_KEY', read.optional('PROVIDER_API_KEY'));
    if (this.providerBaseUrl !== null) {
      checkBaseUrl(read, 'PROVIDER_BASE_URL', this.providerBaseUrl, 'set PROVIDER_API_KEY');
      checkSpecUrl(read, 'PROVIDER_BASE_URL', this.providerBaseUrl);
    }
    this.relay = readRelay(read, this.provider === 'relay', walletProblem);
    this.oneClick = readOneClick(read);
    this.providerAuth = read.choice('PROVIDER_AUTH', 'x-api-key', ['x-api-key', 'bearer']);
    this.providerTimeoutMs = read.integer('PROVIDER_TIMEOUT_MS', 5_000, 100, 120_000);
    const maxRpm = this.provider === 'relay' ? RELAY_READS_RPM : 0;
    this.providerMaxRpm = read.integer('PROVIDER_MAX_RPM', maxRpm, 0, 10_000_000);
    this.providerMaxConcurrency = read.integer('PROVIDER_MAX_CONCURRENCY', 64, 1, 10_000);
    this.pollIntervalMs = read.integer('POLL_INTERVAL_MS', 7_000, 100, HOUR_MS);
    this.pollMinGapMs = read.integer('POLL_MIN_GAP_MS', 5_000, 0, HOUR_MS);
    this.lateWatchMs = read.integer('LATE_WATCH_SECONDS', 86_400, 0, 366 * 86_400) * 1_000;
    this.stalledAfterMs = read.integer('STALLED_AFTER_SECONDS', 900, 1, 366 * 86_400) * 1_000;
    this.apiKeys = read.namedKeys('API_KEYS');
    this.encryptionKey = read.key32('ENCRYPTION_KEY');
    this.encryptionKeyPrevious = read.key32('ENCRYPTION_KEY_PREVIOUS');
    this.webhookTimeoutMs = read.integer('WEBHOOK_TIMEOUT_MS', 15_000, 100, 120_000);
    this.webhookMaxConcurrency = read.integer('WEBHOOK_MAX_CONCURRENCY', 10, 1, 100);
    this.webhookMaxEndpoints = read.integer('WEBHOOK_MAX_ENDPOINTS', 1_000, 1, 100_000);
    this.webhookRetryScheduleMs = read.durations('WEBHOOK_RETRY_SCHEDULE', RETRY_SCHEDULE);
    this.webhookLanePatienceMs = read.integer('WEBHOOK_LANE_PATIENCE_SECONDS', 900, 0, 30 * 86_400) * 1_000;
    this.webhookAllowedCidrs = read.cidrs('WEBHOOK_ALLOWED_CIDRS');
    this.webhookAllowHttp = read.flag('WEBHOOK_ALLOW_HTTP', false);
    this.eventSource = read.uriReference('EVENT_SOURCE', 'paybell');
    this.metrics = read.choice('METRICS', 'open', ACCESS);
    this.docs = read.choice('DOCS', 'open', ACCESS);
    this.roles = read.set('ROLES', ROLES);
    this.retentionDays = read.integer('RETENTION_DAYS', 90, 1, 36_500);
    this.auditRetentionDays = read.integer('AUDIT_RETENTION_DAYS', 365, 1, 36_500);
    this.logLevel = read.choice('LOG_LEVEL', 'info', LOG_LEVELS);
    this.sandboxSpeed = read.decimal('SANDBOX_SPEED', 1, 0.1, 50);
    this.sandboxAutopay = read.flag('SANDBOX_AUTOPAY', true);
    this.tracing = readTracing(read);

    if (this.provider === 'http' && this.providerBaseUrl === null)
      read.refuse('PROVIDER_BASE_URL', 'is required with PROVIDER=http');
    if (this.databaseUrls !== null && this.encryptionKey === null && !read.isRefused('ENCRYPTION_KEY'))
      read.refuse(
        'ENCRYPTION_KEY',
        'is required with DATABASE_URL: 32 bytes in base64, for example from `openssl rand -base64 32`',
      );
    if (this.databaseDirectUrls !== null && this.databaseUrls === null && !read.isRefused('DATABASE_URL'))
      read.refuse('DATABASE_DIRECT_URL', 'needs DATABASE_URL');
    read.refuseMisspelt();
    if (read.problems.length > 0) throw new InvalidConfig(read.problems);
  }

  /** Whether this process serves the pages and signs people in. */
  get servesDashboard(): boolean {
    return this.dashboard && this.roles.has('api');
  }

  /** Where people open the pages, with the port that the process listens on; null where it does not serve them. */
  dashboardUrl(port: number = this.port): string | null {
    if (!this.servesDashboard) return null;
    if (this.publicUrl !== null) return `${this.publicUrl}/dashboard`;
    // A free port is chosen only when the process listens.
    if (port === 0) return null;
    const host = EVERY_ADDRESS.has(this.host) ? 'localhost' : this.host;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}/dashboard`;
  }

  /** The factor by which the sandbox speeds up polling, the late watch and the detection of stalls; 1 for other providers. */
  get speed(): number {
    return this.provider === 'sandbox' ? this.sandboxSpeed : 1;
  }
}
