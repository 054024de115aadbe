import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { Config, sectionsWith } from '../../src/config/config.ts';
import { headerText } from '../../src/config/kinds.ts';
import { requestRows } from '../../src/config/request-settings.ts';
import { ASKING, providerSection, type Setting } from '../../src/config/setting.ts';
import { fingerprintsOf } from '../../src/platform/process/agreed-settings.ts';
import { ProvidersModule } from '../../src/providers/providers.module.ts';
import { PROVIDERS } from '../../src/providers/registered-providers.ts';
import { configOf, problemsOf } from '../support/config-of.ts';

const SECTIONS = sectionsWith(PROVIDERS);
const SETTINGS: readonly Setting[] = SECTIONS.flatMap(({ rows }) => Object.values(rows));
const BOUNDS = /^`([\d.]+)` to `([\d.]+)`$/;
const CHOICES = /^`[\w-]+`(?:, `[\w-]+`)*$/;

const names = (settings: readonly Setting[]): [string, Setting][] =>
  settings.map((each) => [each.name, each]);

const valuesOf = (variables: Record<string, string>): [string, unknown][] =>
  configOf(variables).settings.map(({ setting, value }) => [setting.name, value]);

/** The configuration's refusal of one variable's value; null if it accepts the value. */
function refusal(name: string, value: string): string | null {
  return problemsOf({ [name]: value }).find((line) => line.startsWith(`  - ${name} `)) ?? null;
}

describe('the table of settings', () => {
  it('has each variable and each property once', () => {
    const theirs = new Set<unknown>(Object.values(PROVIDERS).map(({ settings }) => settings));
    const own = SECTIONS.filter((section) => !theirs.has(section));
    const keys = own.flatMap(({ rows }) => Object.keys(rows));
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(SETTINGS.map(({ name }) => name)).size).toBe(SETTINGS.length);
    expect(SETTINGS.length).toBeGreaterThan(55);
  });

  it.each(names(SETTINGS.filter((each) => each.default !== null)))(
    '%s set to its default changes nothing',
    (name, { default: value }) => {
      expect(valuesOf({ [name]: value ?? '' })).toEqual(valuesOf({}));
    },
  );

  it.each(names(SETTINGS.filter(({ values }) => BOUNDS.test(values))))(
    '%s takes its bounds, and nothing beyond',
    (name, { values }) => {
      const [, min = '', max = ''] = BOUNDS.exec(values) ?? [];
      const beyond = [`${Number(min) - 1}`, `${Number(max) + 1}`];
      expect([min, max].map((value) => refusal(name, value))).toEqual([null, null]);
      for (const value of beyond) expect(refusal(name, value)).toContain(`from ${min} to ${max}`);
    },
  );

  it.each(names(SETTINGS.filter(({ values }) => CHOICES.test(values))))(
    '%s takes the words of the table alone',
    (name, { values }) => {
      expect(refusal(name, 'neither')).toContain(`not one of: ${values.replaceAll('`', '')}`);
    },
  );

  it.each(names(SETTINGS.filter(({ isSecret }) => isSecret === true)))(
    '%s is a secret, which no message repeats',
    (name) => {
      expect(refusal(name, 'hunter2 €\u0007') ?? '').not.toContain('hunter2');
    },
  );

  it('marks as a secret what a name or a URL with a password gives away', () => {
    const secrets = new Set(SETTINGS.filter(({ isSecret }) => isSecret === true).map(({ name }) => name));
    const telling = SETTINGS.filter(
      ({ name, values }) => /(?:API|ENCRYPTION)_KEY/.test(name) || /(?:postgres|amqp):/.test(values),
    );
    expect(telling.map(({ name }) => name).filter((name) => !secrets.has(name))).toEqual([]);
  });
});

describe('a provider that is registered', () => {
  const ACME = providerSection({
    heading: 'Acme',
    about: '',
    rows: {
      ...requestRows('ACME', { timeoutMs: 5_000, maxRpm: 30 }),
      key: headerText('ACME_API_KEY', {
        isSecret: true,
        isRequired: true,
        agreed: ASKING,
        text: 'its key',
      }),
    },
  });
  const providers = { ...PROVIDERS, acme: { settings: ACME } };
  const env = { PROVIDER: 'acme', ACME_API_KEY: 'key' };

  it('adds its settings to all that is made of the table', () => {
    const config = new Config(env, providers);
    expect(config.of(ACME).key).toBe('key');
    expect(config).toMatchObject({ providers: ['acme'], speed: 1 });
    expect(config.requestsOf(ACME).maxRpm).toBe(30);
    expect(fingerprintsOf(config)).toHaveProperty('ACME_API_KEY');
    expect(sectionsWith(providers)).toContain(ACME);
  });

  it('is refused without what it requires, and where a name is misspelt', () => {
    const read = (variables: Record<string, string>) => () => new Config(variables, providers);
    expect(read({ PROVIDER: 'acme' })).toThrow('ACME_API_KEY is required with PROVIDER=acme');
    expect(read({ ...env, ACME_APIKEY: 'x' })).toThrow('ACME_APIKEY is not a setting: did you mean');
  });
});

describe('the settings of a provider that PROVIDER does not name', () => {
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    [{ PROVIDER: 'sandbox', PROVIDER_BASE_URL: 'https://pay.example' }, ['PROVIDER_BASE_URL']],
    [{ PROVIDER_BASE_URL: 'https://pay.example', RELAY_API_KEY: 'key' }, ['RELAY_API_KEY']],
    [{ PROVIDER_BASE_URL: 'https://pay.example', SANDBOX_SPEED: '2' }, []],
  ])('are told where one would have started it: %j', (variables, unused) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const config = configOf(variables);
    new ProvidersModule(config).onApplicationBootstrap();
    expect(warn.mock.calls).toEqual(
      unused.map((name) => [`${name} is not used: PROVIDER is ${config.providers.join(',')}`]),
    );
  });
});
