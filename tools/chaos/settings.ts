/** The settings of a run's replicas, which the verdict uses too. */

export const API_KEY = 'chaos-0123456789abcdef0123';
export const DATABASE = 'paybell';
export const EXCHANGE = 'payments';

export const LIMITS = { minGapMs: 1_500, maxRpm: 1_200 } as const;

/** Limits of the further providers: Relay's polls are lists, in which no payment's gap can be seen. */
export const CARRIER_LIMITS = {
  relay: { minGapMs: 0, maxRpm: 45 },
  oneclick: { minGapMs: LIMITS.minGapMs, maxRpm: 60 },
  chainflip: { minGapMs: LIMITS.minGapMs, maxRpm: 50 },
} as const;

export const CARRIER_SETTINGS: Readonly<Record<string, string>> = {
  PROVIDER: 'http,relay,oneclick,chainflip',
  RELAY_TIMEOUT_MS: '2000',
  RELAY_MAX_RPM: String(CARRIER_LIMITS.relay.maxRpm),
  RELAY_MAX_QUOTES_RPM: '0',
  ONECLICK_TIMEOUT_MS: '2000',
  ONECLICK_MAX_RPM: String(CARRIER_LIMITS.oneclick.maxRpm),
  CHAINFLIP_TIMEOUT_MS: '2000',
  CHAINFLIP_OPEN_TIMEOUT_MS: '2000',
  CHAINFLIP_MAX_RPM: String(CARRIER_LIMITS.chainflip.maxRpm),
  CHAINFLIP_MAX_QUOTES_RPM: '0',
};

/** The quote requests for a provider that cannot carry the usual payment: Chainflip does not know Base. */
export const CARRIER_ROUTES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  chainflip: { toChainId: 42161, toToken: '0xaf88d065e77c8cc2239327c5edb3a432268e5831' },
};

/** Settings that are faster than the defaults, so that much happens in a minute. All others have their defaults. */
export const SETTINGS: Readonly<Record<string, string>> = {
  API_KEYS: `chaos:${API_KEY}`,
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  DATABASE_POOL_SIZE: '6',
  PROVIDER: 'http',
  PROVIDER_API_KEY: 'provider-of-the-chaos',
  PROVIDER_TIMEOUT_MS: '2000',
  PROVIDER_MAX_RPM: String(LIMITS.maxRpm),
  POLL_INTERVAL_MS: '2000',
  POLL_MIN_GAP_MS: String(LIMITS.minGapMs),
  WEBHOOK_TIMEOUT_MS: '3000',
  WEBHOOK_RETRY_SCHEDULE: `1s,1s,2s,3s,${Array<string>(90).fill('5s').join(',')}`,
  // No event may pass a waiting one: the order must hold for any receivers.
  WEBHOOK_LANE_PATIENCE_SECONDS: '2592000',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  RABBITMQ_EXCHANGE: EXCHANGE,
};
