import { Environment } from './environment.ts';
import { HTTP } from './http-settings.ts';
import { POLLING, SUMS } from './polling-settings.ts';
import { PROCESS } from './process-settings.ts';
import { PROOF } from './proof-settings.ts';
import { providerSettings, type Providers } from './provider-settings.ts';
import { RABBITMQ } from './rabbitmq-settings.ts';
import { GENERAL_REQUESTS } from './request-settings.ts';
import type { ProviderSection, RequestLimits, Rows, Section, Setting, ValuesOf } from './setting.ts';
import { TRACES, tracingOf, type TracingSettings } from './tracing-settings.ts';
import { WEBHOOKS } from './webhook-settings.ts';

/** Addresses that mean every address of this machine; a browser cannot open them. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

type OwnRows = typeof HTTP.rows &
  typeof PROCESS.rows &
  ReturnType<typeof providerSettings>['rows'] &
  typeof POLLING.rows &
  typeof SUMS.rows &
  typeof PROOF.rows &
  typeof WEBHOOKS.rows &
  typeof RABBITMQ.rows &
  typeof TRACES.rows;

/** Has a property for each row of the table, except for those of a single provider. */
const OwnValues: new () => ValuesOf<OwnRows> = class {} as never;

interface ChainRpcAccess {
  readonly allowedCidrs: readonly string[];
  readonly allowHttp: boolean;
  readonly maxRps: number;
  readonly headers: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** The complete table of settings, in the order of docs/running/configuration.md. */
export function sectionsWith(providers: Providers): readonly Section[] {
  return [...ownSections(providers), ...Object.values(providers).map(({ settings }) => settings)];
}

/** All settings, read once at the start and nowhere else. Durations are in milliseconds unless the name says otherwise. */
export class Config extends OwnValues {
  /** Each setting of the table, with its value. */
  readonly settings: readonly { readonly setting: Setting; readonly value: unknown }[];
  /** One line for each variable that is valid but does less than it may seem to. */
  readonly warnings: readonly string[];
  private readonly ofProviders: ReadonlyMap<Section, object>;
  private readonly requests: ReadonlyMap<Section, RequestLimits>;

  /** `asksProvider` is false for work on the database alone, which does not depend on the provider. */
  constructor(
    variables: Readonly<Record<string, string | undefined>>,
    private readonly registered: Providers,
    { asksProvider = true }: { readonly asksProvider?: boolean } = {},
  ) {
    super();
    const env = new Environment(variables);
    const own = ownSections(registered).map((section) => env.readSection(section));
    const theirs = Object.values(registered).map(({ settings }) => env.readSection(settings));
    Object.assign(this, ...own.map(({ values }) => values));
    this.ofProviders = new Map(theirs.map(({ section, values }) => [section, values]));
    this.settings = [...own, ...theirs].flatMap(({ section: { rows }, values }) =>
      Object.entries(rows).map(([key, setting]) => ({ setting, value: values[key] })),
    );
    const isAlone = this.providers.length === 1;
    this.requests = new Map(theirs.map(({ section }) => [section, requestsOf(section, env, isAlone)]));
    if (asksProvider && this.databaseUrls !== null) requireProvider(env);
    for (const name of this.providers)
      env.requireAll(registered[name]?.settings.rows ?? {}, `PROVIDER=${this.providers.join(',')}`);
    env.refuseMisspelt(new Set(this.settings.map(({ setting }) => setting.name)));
    env.throwIfRefused();
    this.warnings = env.warnings;
  }

  /** The settings of one provider's folder. */
  of<R extends Rows>(section: Section<R>): ValuesOf<R> {
    const values = this.ofProviders.get(section);
    if (values === undefined) throw new Error(`no provider has the settings under "${section.heading}"`);
    return values as ValuesOf<R>;
  }

  /** The limits for requests to the provider with this section. */
  requestsOf(section: ProviderSection): RequestLimits {
    const limits = this.requests.get(section);
    if (limits === undefined) throw new Error(`no provider has the settings under "${section.heading}"`);
    return limits;
  }

  /** How deposits that differ from the requested sum are judged. */
  get sums(): { readonly toleranceBps: number; readonly failsUnderpaid: boolean } {
    return { toleranceBps: this.amountToleranceBps, failsUnderpaid: this.underpaid === 'fail' };
  }

  /**
   * The factor by which the provider's time runs faster than the clock. A provider with another factor than 1 is the only
   * one.
   */
  get speed(): number {
    const settings = this.registered[this.providers[0] ?? '']?.settings;
    return settings?.speedOf?.(this.of(settings)) ?? 1;
  }

  /** The sandbox simulates a chain too, which proves its payments: VERIFY is on, and no RPC reads another chain. */
  get simulatesChain(): boolean {
    return this.verify !== 'off' && this.chainRpc === null && this.providers.includes('sandbox');
  }

  /** Null: tracing is off. */
  get tracing(): TracingSettings | null {
    return tracingOf(this);
  }

  /** How RPCs are accessed: at the addresses that webhooks may use, unless a setting of their own says otherwise. */
  get chainRpcAccess(): ChainRpcAccess {
    const places =
      this.chainRpcAllowedCidrs === null
        ? { allowedCidrs: this.webhookAllowedCidrs, allowHttp: this.webhookAllowHttp }
        : { allowedCidrs: this.chainRpcAllowedCidrs, allowHttp: false };
    return { ...places, maxRps: this.chainRpcMaxRps, headers: this.chainRpcHeaders ?? new Map() };
  }

  /** Whether this process serves the dashboard and signs people in. */
  get servesDashboard(): boolean {
    return this.dashboard && this.roles.has('api');
  }

  /** The URL of the dashboard, with the port on which the process listens; null if the process does not serve it. */
  dashboardUrl(port: number = this.port): string | null {
    if (!this.servesDashboard) return null;
    if (this.publicUrl !== null) return `${this.publicUrl}/dashboard`;
    // With PORT=0, the port is known only once the process listens.
    if (port === 0) return null;
    const host = EVERY_ADDRESS.has(this.host) ? 'localhost' : this.host;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}/dashboard`;
  }
}

/** The sandbox, with its invented deposit addresses, must never run by mistake. */
function requireProvider(env: Environment): void {
  if (env.isSet('PROVIDER') || env.isSet('PROVIDER_BASE_URL')) return;
  env.refuse(
    'PROVIDER',
    'must be set with DATABASE_URL: http (with PROVIDER_BASE_URL), relay, oneclick, chainflip, or sandbox for a rehearsal without real money',
  );
}

/**
 * Uses the provider's own settings. If it is the only one in PROVIDER, unset ones come from the general PROVIDER_… settings.
 */
function requestsOf({ rows }: ProviderSection, env: Environment, isAlone: boolean): RequestLimits {
  const chosen = Object.entries(GENERAL_REQUESTS).map(([key, general]) => {
    const own = rows[key];
    const isGeneral = own === undefined || (isAlone && env.isSet(general.name) && !env.isSet(own.name));
    return [key, isGeneral ? general : own];
  });
  return env.read(Object.fromEntries(chosen) as typeof GENERAL_REQUESTS);
}

function ownSections(providers: Providers): Section[] {
  return [HTTP, PROCESS, providerSettings(providers), POLLING, SUMS, PROOF, WEBHOOKS, RABBITMQ, TRACES];
}
