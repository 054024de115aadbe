import { choice, integer, ranking } from './kinds.ts';
import { ASKING, type ProviderSection, section } from './setting.ts';

/** The providers that PROVIDER may name, each with its settings. */
export type Providers = Readonly<Record<string, { readonly settings: ProviderSection }>>;

const QUOTES = {
  quotePolicy: choice('QUOTE_POLICY', ['order', 'best'], {
    default: 'order',
    text: 'who makes a quote that names no provider: `order`, the first of `PROVIDER` that can; `best`, the one that delivers most',
  }),
  quoteTimeoutMs: integer('QUOTE_TIMEOUT_MS', {
    default: 12_000,
    min: 1_000,
    max: 120_000,
    text: 'the time limit of a quote, from its arrival',
  }),
};

/** The settings that select the providers. */
export const providerSettings = (registered: Providers) => {
  const names = Object.keys(registered);
  return section({
    heading: 'Providers',
    about: 'Which to choose: [providers.md](providers.md). The settings of each are below.',
    rows: {
      providers: ranking('PROVIDER', names, {
        default: 'sandbox',
        agreed: ASKING,
        text: 'the providers that Paybell polls, the preferred one first; `PROVIDER_BASE_URL` alone selects `http`; required with `DATABASE_URL`',
      }),
      leftProviders: ranking('PROVIDER_LEAVE', names, {
        agreed: ASKING,
        text: 'providers that `PROVIDER` no longer names: their open payments are no longer polled',
      }),
      ...QUOTES,
    },
    withDefaults(values, env) {
      const isHttp = !env.isSet('PROVIDER') && env.isSet('PROVIDER_BASE_URL');
      return isHttp ? { ...values, providers: ['http'] } : values;
    },
    check({ providers, leftProviders }, env) {
      if (providers.length > 1 && providers.includes('sandbox'))
        env.refuse('PROVIDER', 'names the sandbox beside others: it invents its payments, and works alone');
      const both = leftProviders.find((name) => providers.includes(name));
      if (both !== undefined) env.refuse('PROVIDER_LEAVE', `has "${both}", which PROVIDER names too`);
    },
  });
};
