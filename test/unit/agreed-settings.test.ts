import { randomBytes } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { fingerprintsOf } from '../../src/platform/process/agreed-settings.ts';
import { configOf } from '../support/config-of.ts';
import { disagreementsOf, disagreementWords } from '../../src/domain/replicas/disagreements.ts';

const KEY = randomBytes(32).toString('base64');
const ENV = {
  DATABASE_URL: 'postgres://127.0.0.1/paybell',
  ENCRYPTION_KEY: KEY,
  PROVIDER_BASE_URL: 'https://provider.example',
  PROVIDER_API_KEY: 'provider-key-of-a-merchant',
  API_KEYS: 'shop:a-secret-of-the-shop-0123456789',
  RABBITMQ_URL: 'amqp://user:password-of-the-broker@broker.example',
};

const replica = (id: string, env: Record<string, string> = {}) => {
  const config = configOf({ ...ENV, ...env });
  return { id, roles: [...config.roles], settings: fingerprintsOf(config) };
};
const words = (...replicas: ReturnType<typeof replica>[]): string[] =>
  disagreementsOf(replicas).map(disagreementWords);

describe('the settings that replicas must agree on', () => {
  it('have fingerprints that show no value', () => {
    const shown = JSON.stringify(replica('one').settings);
    for (const value of Object.values(ENV)) expect(shown).not.toContain(value);
    for (const fingerprint of Object.values(replica('one').settings))
      expect(fingerprint).toMatch(/^(?:unset|set|(?:[0-9a-f]{12}:)?[0-9a-f]{12})$/);
  });

  it('have no fingerprint of a secret without a key to make it with', () => {
    const { settings } = replica('one', { DATABASE_URL: '', ENCRYPTION_KEY: '' });
    const other = replica('two', {
      DATABASE_URL: '',
      ENCRYPTION_KEY: '',
      API_KEYS: 'shop:another-0123456789',
    });
    expect(other.settings['API_KEYS']).toBe(settings['API_KEYS']);
    expect(settings).toMatchObject({ API_KEYS: 'set', PROVIDER_API_KEY: 'set' });
  });

  it('agree in replicas that are set alike, whatever else they have', () => {
    const two = replica('two', { PORT: '4000', LOG_LEVEL: 'debug', RABBITMQ_URL: 'amqp://other.example' });
    expect(words(replica('one'), two)).toEqual([]);
  });

  it('are compared among the replicas whose roles use them', () => {
    const [one, api] = [replica('one'), replica('two', { ROLES: 'api', RABBITMQ_URL: '' })];
    expect(words(one, api)).toEqual([]);
    expect(words(one, replica('two', { ROLES: 'dispatcher', RABBITMQ_URL: '' }), api)).toEqual([
      'RABBITMQ_URL is set in one (api, tracker, dispatcher), and not in two (dispatcher)',
    ]);
  });

  it.each([
    ['POLL_INTERVAL_MS', '9000'],
    ['PROVIDER_API_KEY', 'another-key-of-a-merchant'],
    ['API_KEYS', 'shop:another-secret-of-the-shop-01234'],
    ['EVENT_SOURCE', 'other'],
    ['WEBHOOK_RETRY_SCHEDULE', '5s,10s'],
  ])('%s is told where it differs', (name, value) => {
    expect(words(replica('one'), replica('two', { [name]: value }), replica('three'))).toEqual([
      expect.stringMatching(
        new RegExp(`^${name} is one thing in one \\(.*\\), three \\(.*\\), another in two \\(.*\\)$`),
      ),
    ]);
  });

  it('have secrets that can not be compared where the encryption key differs, which is told instead', () => {
    const two = replica('two', { ENCRYPTION_KEY: randomBytes(32).toString('base64') });
    expect(words(replica('one'), two)).toEqual([
      expect.stringMatching(/^ENCRYPTION_KEY is one thing in one /),
    ]);
  });

  it('are not compared with a replica of a release that does not say them', () => {
    expect(words(replica('one'), { id: 'old', roles: ['api'], settings: {} })).toEqual([]);
  });
});
