import { choice, codes, integer } from './kinds.ts';
import { ASKING, type ProviderSection, section } from './setting.ts';

/** The providers that PROVIDER may name, each with its settings. */
export type Providers = Readonly<Record<string, { readonly settings: ProviderSection }>>;

const REQUESTS = {
  providerTimeoutMs: integer('PROVIDER_TIMEOUT_MS', {
    default: 5_000,
    min: 100,
    max: 120_000,
    text: 'the time limit of one request to the provider',
  }),
  providerMaxRpm: integer('PROVIDER_MAX_RPM', {
    default: 0,
    min: 0,
    max: 10_000_000,
    agreed: ASKING,
    text: 'status requests a minute, over all replicas; `0`: no limit, or with Relay its own 200',
  }),
  providerMaxConcurrency: integer('PROVIDER_MAX_CONCURRENCY', {
    default: 64,
    min: 1,
    max: 10_000,
    text: 'requests in flight, for each replica',
  }),
};

/** The settings that every provider uses. */
export const providerSettings = (providers: Providers) => {
  const names = Object.keys(providers);
  return section({
    heading: 'Provider',
    about: 'Which provider to choose: [providers.md](providers.md). The settings of each are below.',
    rows: {
      provider: choice('PROVIDER', names, {
        default: 'sandbox',
        values: codes(names),
        agreed: ASKING,
        text: 'the provider that Paybell polls; `PROVIDER_BASE_URL` alone selects `http`; required with `DATABASE_URL`',
      }),
      ...REQUESTS,
    },
    withDefaults(values, env) {
      const isHttp = !env.isSet('PROVIDER') && env.isSet('PROVIDER_BASE_URL');
      const provider = isHttp ? 'http' : values.provider;
      const isLimited = env.isSet('PROVIDER_MAX_RPM');
      const providerMaxRpm = isLimited ? values.providerMaxRpm : (providers[provider]?.settings.maxRpm ?? 0);
      return { ...values, provider, providerMaxRpm };
    },
  });
};
