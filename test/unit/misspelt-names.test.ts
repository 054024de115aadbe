import { describe, expect, it } from '@jest/globals';

import { configOf } from '../support/config-of.ts';
import { configVariables } from '../support/config-variables.ts';
import { misspeltNames } from '../../src/config/misspelt-names.ts';
import { composeEnvironment, LOGIN_SHELL, POD, podWith } from '../support/environments.ts';

type Env = Record<string, string>;

function problemsOf(env: Env): string[] {
  try {
    configOf(env);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n').slice(1);
  }
}

/** All that one slip can make of a name. */
function slipsOf(name: string): Set<string> {
  const slips = new Set<string>();
  for (let at = 0; at <= name.length; at += 1) {
    const [before, after] = [name.slice(0, at), name.slice(at)];
    slips.add(before + after.slice(1));
    for (const letter of ['X', '_', '7'])
      slips.add(before + letter + after).add(before + letter + after.slice(1));
    slips.add(before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2));
  }
  return slips;
}

describe('a variable that is one of ours but for a slip', () => {
  it.each([
    ['PROVIDER_BASEURL', 'PROVIDER_BASE_URL'],
    ['provider_base_url', 'PROVIDER_BASE_URL'],
    ['Provider_Base_Url', 'PROVIDER_BASE_URL'],
    ['providerBaseUrl', 'PROVIDER_BASE_URL'],
    ['PROVIDER__BASE_URL', 'PROVIDER_BASE_URL'],
    ['PROVIDER-BASE-URL', 'PROVIDER_BASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['WEBHOOK_ALOWED_CIDRS', 'WEBHOOK_ALLOWED_CIDRS'],
    ['WEBHOOK_ALLOWED_CIDR', 'WEBHOOK_ALLOWED_CIDRS'],
    ['WEBHOOK_ALLOWED_CDIRS', 'WEBHOOK_ALLOWED_CIDRS'],
    ['ENCRYPTION_KEYS', 'ENCRYPTION_KEY'],
    ['RABBITMQ_ULR', 'RABBITMQ_URL'],
    ['RELAY_APIKEY', 'RELAY_API_KEY'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['PROVIDERS', 'PROVIDER'],
  ])('%s stops the start, and its value is not repeated', (name, meant) => {
    expect(problemsOf({ [name]: 'hunter2' })).toEqual([
      `  - ${name} is not a setting: did you mean ${meant}?`,
    ]);
  });

  it('is reported beside what else is wrong', () => {
    expect(problemsOf({ PORT: 'x', PROVIDER: 'http', PROVIDER_BASEURL: 'https://pay.example' })).toEqual([
      expect.stringContaining('PORT is "x"'),
      expect.stringContaining('PROVIDER_BASE_URL is required'),
      expect.stringContaining('PROVIDER_BASEURL is not a setting'),
    ]);
  });

  it('is found for every name of eight letters or more, and for no shorter one', () => {
    const known = configVariables();
    for (const name of known) {
      const isLong = name.replace(/[^A-Z]/g, '').length >= 8;
      const slips = [...slipsOf(name)].filter((slip) => !known.has(slip));
      const found = slips.filter((slip) =>
        misspeltNames({ [slip]: 'x' }, known).some(({ meant }) => meant === name),
      );
      expect(found).toEqual(isLong ? slips : []);
    }
  });
});

describe('what others set', () => {
  it.each<[string, Env]>([
    ['a login shell', LOGIN_SHELL],
    ['a pod', POD],
    ['compose', { ...composeEnvironment(), PROVIDER: 'sandbox' }],
  ])('in %s is nothing to stop for', (_where, env) => {
    expect(problemsOf(env).filter((line) => line.includes('did you mean'))).toEqual([]);
  });

  it('is not ours, even for a service that is called like a setting', () => {
    const known = configVariables();
    const services = [...known].map((name) => name.toLowerCase().replaceAll('_', '-'));
    expect(misspeltNames(podWith(Object.fromEntries(services.map((name) => [name, 80]))), known)).toEqual([]);
  });

  it.each<Env>([{ PROVIDER_BASEURL: '' }, { PROVIDER_BASEURL: '  ' }, { API_KEY: 'x' }, { DATADIR: 'x' }])(
    'is silent, as is what is empty or short: %j',
    (env) => {
      expect(problemsOf(env)).toEqual([]);
    },
  );
});
