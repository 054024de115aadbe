import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from '@jest/globals';

import { configOf, problemsOf } from '../support/config-of.ts';
import { REJECTED_SUFFIX } from '../../src/config/rabbitmq-settings.ts';
import { ROLES } from '../../src/domain/access/role.ts';
import { rejectedQueueOf } from '../../src/ports/track-requests.ts';
import { HTTP_PROVIDER_SETTINGS } from '../../src/providers/http/http-settings.ts';
import { ONECLICK_SETTINGS } from '../../src/providers/oneclick/oneclick-settings.ts';
import { RELAY_SETTINGS } from '../../src/providers/relay/relay-settings.ts';
import { SANDBOX_SETTINGS } from '../../src/providers/sandbox/sandbox-settings.ts';
import { stalledAfterMs, urgencyRules } from '../../src/domain/polling/urgency-rules.ts';
import { SHOP, TEST_AUTHORITY } from '../support/tls-certificates.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

const SOLANA = 'CbKGgVKLJFb8bBrf58DnAkdryX6ubewVytn7X957YwNr';
const FEE_TO = `0x${'ab'.repeat(20)}`;
const BROKER = { RABBITMQ_URL: 'amqp://broker' };
const TLS = { RABBITMQ_URL: 'amqps://broker' };
const folder = mkdtempSync(join(tmpdir(), 'paybell-config-'));
const CA_FILE = join(folder, 'ca.pem');
const BROKEN_FILE = join(folder, 'broken.pem');
writeFileSync(CA_FILE, `${TEST_AUTHORITY.cert}\n${SHOP.cert}\n`);
writeFileSync(BROKEN_FILE, `${TEST_AUTHORITY.cert}\n${SHOP.cert.replace('MII', 'AAA')}\n`);
afterAll(() => rmSync(folder, { recursive: true }));

describe('the configuration', () => {
  it('stands without any variable: embedded database, sandbox, no RabbitMQ, all roles', () => {
    const config = configOf({});
    expect(config).toMatchObject({
      databaseUrls: null,
      rabbitmqUrls: null,
      providers: ['sandbox'],
      apiKeys: null,
      encryptionKey: null,
    });
    expect([...config.roles]).toEqual(['api', 'tracker', 'dispatcher', 'public']);
  });

  it('counts in milliseconds, whatever the unit of a setting', () => {
    const config = configOf({});
    expect(config).toMatchObject({
      lateWatchMs: 86_400_000,
      stalledAfterMs: 900_000,
      webhookLanePatienceMs: 900_000,
    });
    expect(config.requestsOf(HTTP_PROVIDER_SETTINGS)).toEqual({
      timeoutMs: 5_000,
      maxRpm: 0,
      maxConcurrency: 64,
    });
    expect(config.webhookRetryScheduleMs).toHaveLength(15);
    expect(config.webhookRetryScheduleMs.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(
      75 * 3_600_000,
    );
  });

  it('takes the origin of the pages, and the proxies before them as addresses and ranges', () => {
    const env = { PUBLIC_URL: 'https://Pay.Example:443/', TRUSTED_PROXIES: '10.0.0.0/8, ::1,127.0.0.1' };
    const { publicUrl, trustedProxies } = configOf(env);
    expect(publicUrl).toBe('https://pay.example');
    expect(trustedProxies).toEqual(['10.0.0.0/8', '::1', '127.0.0.1']);
  });

  it('names the address of the dashboard where this process serves it', () => {
    const urlOf = (env: Record<string, string>): string | null => configOf(env).dashboardUrl(4000);
    expect(urlOf({})).toBe('http://127.0.0.1:4000/dashboard');
    expect(urlOf({ HOST: '::1' })).toBe('http://[::1]:4000/dashboard');
    expect(urlOf({ HOST: '0.0.0.0' })).toBe('http://localhost:4000/dashboard');
    expect(urlOf({ PUBLIC_URL: 'https://pay.example' })).toBe('https://pay.example/dashboard');
    expect(configOf({ PORT: '0' }).dashboardUrl()).toBeNull();
    expect(urlOf({ DASHBOARD: 'false' })).toBeNull();
    expect(urlOf({ ROLES: 'tracker' })).toBeNull();
  });

  it('takes the http provider when a base URL is set, and an empty variable for unset', () => {
    expect(configOf({ PROVIDER_BASE_URL: 'https://pay.example' }).providers).toEqual(['http']);
    expect(configOf({ PROVIDER: '', PORT: ' ' })).toMatchObject({ providers: ['sandbox'], port: 3000 });
  });

  it('takes the sandbox for granted only with the embedded database', () => {
    const env = { DATABASE_URL: 'postgres://x/y', ENCRYPTION_KEY: KEY };
    expect(() => configOf(env)).toThrow(/^ {2}- PROVIDER must be set/m);
    expect(configOf({ ...env, PROVIDER: 'sandbox' }).providers).toEqual(['sandbox']);
    expect(configOf({ ...env, PROVIDER_BASE_URL: 'https://pay.example' }).providers).toEqual(['http']);
    expect(configOf(env, { asksProvider: false }).databaseUrls).toEqual([env.DATABASE_URL]);
  });

  it('takes several hosts of PostgreSQL and several nodes of RabbitMQ as one URL each', () => {
    const hosts = 'postgres://u:p,w@a:1,b,[::1]:3/x?target_session_attrs=read-write';
    const config = configOf({
      DATABASE_URL: hosts,
      DATABASE_DIRECT_URL: 'postgres:///x?host=/run/pg',
      ENCRYPTION_KEY: KEY,
      PROVIDER: 'sandbox',
      RABBITMQ_URL: 'amqp://u:p@a:1,amqps://u:p@b',
    });
    const after = '/x?target_session_attrs=read-write';
    expect(config).toMatchObject({
      databaseUrls: ['a:1', 'b', '[::1]:3'].map((host) => `postgres://u:p,w@${host}${after}`),
      databaseDirectUrls: ['postgres://%2Frun%2Fpg/x'],
      rabbitmqUrls: ['amqp://u:p@a:1', 'amqps://u:p@b'],
    });
  });

  it('asks each of several providers by its own settings, and one that is alone by those of PROVIDER_… too', () => {
    const general = { PROVIDER_MAX_RPM: '600', PROVIDER_TIMEOUT_MS: '3000' };
    const alone = configOf({ PROVIDER: 'oneclick', ONECLICK_TIMEOUT_MS: '9000', ...general });
    expect(alone.requestsOf(ONECLICK_SETTINGS)).toEqual({
      timeoutMs: 9_000,
      maxRpm: 600,
      maxConcurrency: 64,
    });
    const both = configOf({
      PROVIDER: 'oneclick, http',
      PROVIDER_BASE_URL: 'https://pay.example',
      ...general,
    });
    expect(both.providers).toEqual(['oneclick', 'http']);
    expect(both.requestsOf(ONECLICK_SETTINGS)).toEqual({ timeoutMs: 25_000, maxRpm: 60, maxConcurrency: 64 });
    expect(both.requestsOf(HTTP_PROVIDER_SETTINGS)).toMatchObject({ timeoutMs: 3_000, maxRpm: 600 });
    const sandbox = configOf({ PROVIDER: 'sandbox', ...general });
    expect(sandbox.requestsOf(SANDBOX_SETTINGS).maxRpm).toBe(600);
  });

  it('takes Relay with its own limits, unless others are set', () => {
    const env = { PROVIDER: 'relay', RELAY_API_KEY: 'relay-key' };
    expect(configOf(env).providers).toEqual(['relay']);
    expect(configOf(env).requestsOf(RELAY_SETTINGS).maxRpm).toBe(200);
    expect(configOf(env).of(RELAY_SETTINGS)).toMatchObject({
      apiKey: 'relay-key',
      apiKeyPrevious: null,
      baseUrl: 'https://api.relay.link',
      appFees: [],
      quoteTtlSeconds: 300,
      maxQuotesRpm: 50,
      isWebhookOn: true,
    });
    const raised = configOf({ ...env, RELAY_MAX_RPM: '1200', RELAY_MAX_QUOTES_RPM: '600' });
    expect(raised.requestsOf(RELAY_SETTINGS).maxRpm).toBe(1_200);
    expect(raised.of(RELAY_SETTINGS).maxQuotesRpm).toBe(600);
    const wallets = { RELAY_REFUND_TO: `evm:${FEE_TO}, svm:${SOLANA}`, RELAY_APP_FEES: `${FEE_TO}:050` };
    const relay = configOf({ ...env, ...wallets }).of(RELAY_SETTINGS);
    expect([...relay.refundTo]).toEqual([
      ['evm', FEE_TO],
      ['svm', SOLANA],
    ]);
    expect(relay.appFees).toEqual([{ recipient: FEE_TO, fee: 50 }]);
  });

  it('names the queue of rejected messages as the track queue has it', () => {
    expect(rejectedQueueOf('track')).toBe(`track${REJECTED_SUFFIX}`);
  });

  it('takes the queues and the authorities of a broker', () => {
    const env = { ...TLS, RABBITMQ_EVENT_QUEUE: 'events', RABBITMQ_TRACK_QUEUE: 'track' };
    expect(configOf({ ...env, RABBITMQ_CA_FILE: CA_FILE })).toMatchObject({
      rabbitmqEventQueue: 'events',
      rabbitmqTrackQueue: 'track',
      rabbitmqCa: expect.stringContaining(SHOP.cert),
    });
  });

  it.each([
    [{ PORT: '3e3' }, 'PORT is "3e3", not a whole number from 0 to 65535'],
    [{ PUBLIC_URL: 'pay.example' }, 'PUBLIC_URL is not an origin such as https://pay.example'],
    [{ PUBLIC_URL: 'ftp://pay.example' }, 'PUBLIC_URL is not an origin'],
    [{ PUBLIC_URL: 'https://pay.example/pay' }, 'PUBLIC_URL is not an origin'],
    [{ PUBLIC_URL: 'https://u:hunter2@pay.example' }, 'PUBLIC_URL is not an origin'],
    [{ PUBLIC_URL: 'https://pay.example/?' }, 'PUBLIC_URL is not an origin'],
    [
      { PUBLIC_ORIGINS: '*' },
      'PUBLIC_ORIGINS has an entry that is not an origin such as https://pay.example',
    ],
    [{ PUBLIC_ORIGINS: 'https://a.example,https://*.b.example/' }, 'PUBLIC_ORIGINS has an entry'],
    [{ PUBLIC_ORIGINS: 'https://a.example,null' }, 'PUBLIC_ORIGINS has an entry'],
    [{ TRUSTED_PROXIES: 'nginx' }, 'TRUSTED_PROXIES has "nginx", which is no address or range'],
    [{ TRUSTED_PROXIES: '10/8' }, 'TRUSTED_PROXIES has "10/8", which is no address or range'],
    [{ TRUSTED_PROXIES: '10.0.0.0/33' }, 'TRUSTED_PROXIES has "10.0.0.0/33", which is no address or range'],
    [{ TRUSTED_PROXIES: '10.0.0.1/8/8' }, 'TRUSTED_PROXIES has "10.0.0.1/8/8"'],
    [{ TRUSTED_PROXIES: 'fe80::1%eth0' }, 'TRUSTED_PROXIES has "fe80::1%eth0"'],
    [{ TRUSTED_PROXIES: '::/0' }, 'TRUSTED_PROXIES has "::/0", which is every address'],
    [{ TRUSTED_PROXIES: Array(101).fill('::1').join(',') }, 'TRUSTED_PROXIES has 101 addresses, at most 100'],
    [{ WEBHOOK_RETRY_SCHEDULE: '5s,soon' }, 'WEBHOOK_RETRY_SCHEDULE has "soon"'],
    [{ WEBHOOK_RETRY_SCHEDULE: '5s,,1m' }, 'WEBHOOK_RETRY_SCHEDULE has ""'],
    [{ WEBHOOK_RETRY_SCHEDULE: '400d' }, 'WEBHOOK_RETRY_SCHEDULE has "400d"'],
    [{ WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/33' }, 'WEBHOOK_ALLOWED_CIDRS has "10.0.0.0/33"'],
    [
      { WEBHOOK_ALLOWED_CIDRS: '::1/128,10/8' },
      'WEBHOOK_ALLOWED_CIDRS has "10/8", which is not an address range such as 10.0.0.0/8',
    ],
    [{ WEBHOOK_ALLOWED_CIDRS: 'fe80::1%eth0/64' }, 'WEBHOOK_ALLOWED_CIDRS has "fe80::1%eth0/64"'],
    [{ WEBHOOK_ALLOWED_CIDRS: '10.0/16' }, 'WEBHOOK_ALLOWED_CIDRS has "10.0/16"'],
    [{ WEBHOOK_ALLOWED_CIDRS: '010.0.0.0/8' }, 'WEBHOOK_ALLOWED_CIDRS has "010.0.0.0/8"'],
    [{ WEBHOOK_ALLOWED_CIDRS: '0xa.0.0.0/8' }, 'WEBHOOK_ALLOWED_CIDRS has "0xa.0.0.0/8"'],
    [{ WEBHOOK_ALLOWED_CIDRS: '167772160/8' }, 'WEBHOOK_ALLOWED_CIDRS has "167772160/8"'],
    [
      { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1' },
      'WEBHOOK_ALLOWED_CIDRS has "127.0.0.1", which is not an address range such as 127.0.0.1/32',
    ],
    [
      { WEBHOOK_ALLOWED_CIDRS: '::1' },
      'WEBHOOK_ALLOWED_CIDRS has "::1", which is not an address range such as ::1/128',
    ],
    [
      { DATABASE_URL: 'postgres://u:hunter2@a,,b/x' },
      'DATABASE_URL is not a URL that begins with postgres://',
    ],
    [{ DATABASE_URL: 'postgres://u:hunter2@a:1,b:x/x' }, 'with hosts like a:5432,b:5432'],
    [{ DATABASE_URL: 'postgres://a,b/x?target_session_attrs=standby' }, 'Paybell writes: use read-write'],
    [{ DATABASE_DIRECT_URL: 'postgres://a/x' }, 'DATABASE_DIRECT_URL needs DATABASE_URL'],
    [{ RABBITMQ_URL: 'amqp://u:hunter2@a,b' }, 'or several whole URLs separated by commas'],
    [{ RABBITMQ_EVENT_QUEUE: 'events' }, 'RABBITMQ_EVENT_QUEUE needs RABBITMQ_URL'],
    [{ RABBITMQ_TRACK_QUEUE: 'track' }, 'RABBITMQ_TRACK_QUEUE needs RABBITMQ_URL'],
    [{ ...BROKER, RABBITMQ_EVENT_QUEUE: 'ä'.repeat(128) }, 'RABBITMQ_EVENT_QUEUE has 256 bytes, at most 255'],
    [{ ...BROKER, RABBITMQ_TRACK_QUEUE: 'q'.repeat(247) }, 'RABBITMQ_TRACK_QUEUE has 247 bytes, at most 246'],
    [{ ...BROKER, RABBITMQ_TRACK_QUEUE: 'amq.track' }, 'RABBITMQ_TRACK_QUEUE begins with "amq."'],
    [
      { ...BROKER, RABBITMQ_TRACK_QUEUE: 'q', RABBITMQ_EVENT_QUEUE: 'q.rejected' },
      'RABBITMQ_TRACK_QUEUE must be another queue than RABBITMQ_EVENT_QUEUE',
    ],
    [{ RABBITMQ_CA_FILE: CA_FILE }, 'RABBITMQ_CA_FILE needs a RABBITMQ_URL that begins with amqps://'],
    [
      { ...BROKER, RABBITMQ_CA_FILE: CA_FILE },
      'RABBITMQ_CA_FILE needs a RABBITMQ_URL that begins with amqps://',
    ],
    [
      { ...TLS, RABBITMQ_CA_FILE: `${CA_FILE}.gone` },
      `RABBITMQ_CA_FILE names "${CA_FILE}.gone", which does not exist (ENOENT)`,
    ],
    [
      { ...TLS, RABBITMQ_CA_FILE: import.meta.dirname },
      `RABBITMQ_CA_FILE names "${import.meta.dirname}", which is a folder (EISDIR)`,
    ],
    [
      { ...TLS, RABBITMQ_CA_FILE: import.meta.filename },
      `RABBITMQ_CA_FILE names "${import.meta.filename}", which has no certificate in PEM`,
    ],
    [
      { ...TLS, RABBITMQ_CA_FILE: BROKEN_FILE },
      `RABBITMQ_CA_FILE names "${BROKEN_FILE}", which has a certificate that cannot be read`,
    ],
    [{ ...TLS, RABBITMQ_CA_FILE: '-----BEGIN hunter2' }, 'RABBITMQ_CA_FILE names a text in PEM instead of a'],
    ...['RABBITMQ_URL:amqp', 'RELAY_BASE_URL:https', 'OTEL_EXPORTER_OTLP_ENDPOINT:https'].map((each) => {
      const [name = '', scheme = ''] = each.split(':');
      return [{ [name]: `${scheme}://u:hunter2%zz@a` }, `${name} has a % that begins no encoded`] as const;
    }),
    [{ ROLES: 'api,boss' }, 'ROLES has "boss"'],
    [{ PROVIDER: 'http' }, 'PROVIDER_BASE_URL is required'],
    [{ PROVIDER: 'oneclick,relay' }, 'RELAY_API_KEY is required with PROVIDER=oneclick,relay'],
    [{ PROVIDER: 'oneclick,oneclick' }, 'PROVIDER has a word twice'],
    [{ PROVIDER: ' , ' }, 'PROVIDER names none'],
    [{ PROVIDER: 'oneclick,sandbox' }, 'PROVIDER names the sandbox beside others'],
    [{ PROVIDER_LEAVE: 'stripe' }, 'PROVIDER_LEAVE has "stripe"'],
    [
      { PROVIDER: 'oneclick', PROVIDER_LEAVE: 'oneclick' },
      'PROVIDER_LEAVE has "oneclick", which PROVIDER names',
    ],
    [
      { PROVIDER: 'stripe' },
      'PROVIDER has "stripe", which is not one of: http, relay, oneclick, chainflip, sandbox',
    ],
    [{ PROVIDER: 'relay' }, 'RELAY_API_KEY is required with PROVIDER=relay'],
    [{ RELAY_BASE_URL: 'api.relay.link' }, 'RELAY_BASE_URL is not a URL'],
    [{ RELAY_BASE_URL: 'https://me:hunter2@x' }, 'RELAY_BASE_URL must not hold a user name'],
    [{ RELAY_REFUND_TO: '0x12' }, 'RELAY_REFUND_TO has "0x12", which is not like evm:0x'],
    [{ RELAY_REFUND_TO: 'evm:0x12' }, 'RELAY_REFUND_TO has "evm:0x12"'],
    [{ RELAY_REFUND_TO: `svm:${SOLANA},svm:${SOLANA}` }, 'RELAY_REFUND_TO has two addresses for svm'],
    [{ RELAY_REFUND_TO: 'svm:9xQe' }, 'RELAY_REFUND_TO has "svm:9xQe", which is no wallet'],
    [{ RELAY_APP_FEES: '0x12:50' }, 'RELAY_APP_FEES has "0x12:50", which is not an EVM address'],
    [{ RELAY_APP_FEES: `${FEE_TO}:9999,${FEE_TO}:2` }, 'RELAY_APP_FEES takes too much'],
    [{ PROVIDER_BASE_URL: 'ftp://x' }, 'PROVIDER_BASE_URL is not a URL'],
    [{ PROVIDER_BASE_URL: 'https://me:hunter2@pay.example' }, 'PROVIDER_BASE_URL must not hold a user name'],
    [{ PROVIDER_BASE_URL: 'https://me@pay.example' }, 'PROVIDER_BASE_URL must not hold a user name'],
    [{ PROVIDER_BASE_URL: 'https://pay.example/?key=1' }, 'PROVIDER_BASE_URL must not hold a query'],
    [
      { PROVIDER_BASE_URL: 'https://pay.example/v1#x' },
      'PROVIDER_BASE_URL must not hold a query or a fragment',
    ],
    [{ PROVIDER_BASE_URL: 'https://pay.example?' }, 'PROVIDER_BASE_URL must not hold a query'],
    [
      { PROVIDER_BASE_URL: 'https://pay.example/api/' },
      'PROVIDER_BASE_URL ends in /api: leave that out, Paybell adds it',
    ],
    [
      { PROVIDER_BASE_URL: 'https://pay.example/v1/API//' },
      'PROVIDER_BASE_URL ends in /api: leave that out, Paybell adds it',
    ],
    [{ PROVIDER_BASE_URL: 'https://pay.example/api/quote' }, 'PROVIDER_BASE_URL ends in /api/quote: leave'],
    [{ DATABASE_URL: 'mysql://x', ENCRYPTION_KEY: KEY }, 'DATABASE_URL is not a URL'],
    [{ DATABASE_URL: 'postgres://x/y', PROVIDER: 'sandbox' }, 'ENCRYPTION_KEY is required with DATABASE_URL'],
    [{ ENCRYPTION_KEY: 'short' }, 'ENCRYPTION_KEY is not 32 bytes'],
    [{ API_KEYS: 'no-colon' }, 'API_KEYS is not a list of name:secret pairs'],
    [{ API_KEYS: 'a::viewer' }, 'API_KEYS is not a list of name:secret pairs'],
    [{ API_KEYS: 'a:x,a:y' }, 'API_KEYS has one name twice'],
    [{ API_KEYS: 'a:x:viewer,b:x' }, 'API_KEYS has one secret with two roles'],
    [{ SANDBOX_SPEED: 'fast' }, 'SANDBOX_SPEED is "fast", not a number from 0.1 to 50'],
    [{ DATABASE_URL: 'postgres://x/y', ENCRYPTION_KEY: KEY }, 'PROVIDER must be set with DATABASE_URL'],
    [{ PORT: 'hunter2'.repeat(9) }, 'PORT is "hunter2hunter2hunter…", not a whole number'],
  ])('refuses %j', (env, problem) => {
    expect(problemsOf(env)).toEqual([expect.stringContaining(problem)]);
  });

  it('takes the last part of a key for its role only where it is exactly the word of one', () => {
    const roles = ROLES.map((role) => `${role}-key:s-${role}:${role}`).join(',');
    const others =
      'plain:s,colons:a:b,case:s:Admin,more:s:admin2,word:admin,twice:a:viewer:admin,gap: g : viewer ';
    const { apiKeys } = configOf({ API_KEYS: `${roles},${others}` });
    expect(apiKeys?.map(({ name, secret, role }) => `${name}|${secret}|${role}`)).toEqual([
      ...ROLES.map((role) => `${role}-key|s-${role}|${role}`),
      'plain|s|admin',
      'colons|a:b|admin',
      'case|s:Admin|admin',
      'more|s:admin2|admin',
      'word|admin|admin',
      'twice|a:viewer|admin',
      'gap|g|viewer',
    ]);
  });

  it.each(['a\nb', 'a\r\nx-evil: 1', 'a\tb', 'a\u0000b', 'a\u007fb', 'a\u0085b', 'schlüssel-€', 'a\ud800'])(
    'refuses a provider key that no header can carry, and does not repeat it: %j',
    (key) => {
      const problems = problemsOf({ PROVIDER_API_KEY: `hunter2${key}` });
      expect(problems).toEqual([
        expect.stringContaining('PROVIDER_API_KEY has characters that no HTTP header'),
      ]);
      expect(problems.join()).not.toContain('hunter2');
    },
  );

  it('takes what the provider may ask for: any printable key, and a base URL with a path', () => {
    const env = {
      PROVIDER_API_KEY: ' pk_live:a+b/c= ü~ \n',
      PROVIDER_BASE_URL: 'https://pay.example:8443/v1/',
    };
    expect(configOf(env).of(HTTP_PROVIDER_SETTINGS)).toMatchObject({
      apiKey: 'pk_live:a+b/c= ü~',
      baseUrl: 'https://pay.example:8443/v1/',
    });
  });

  it('names every bad variable in one message, and no secret', () => {
    const problems = problemsOf({
      PORT: 'x',
      ROLES: 'y',
      DATABASE_URL: 'http://user:hunter2@db',
      ENCRYPTION_KEY: 'hunter2',
      API_KEYS: 'hunter2',
      PROVIDER_BASE_URL: 'https://hunter2:hunter2@x/?hunter2',
    });
    expect(problems.map((line) => line.trim().split(' ')[1])).toEqual([
      'PORT',
      'API_KEYS',
      'ROLES',
      'DATABASE_URL',
      'ENCRYPTION_KEY',
      'PROVIDER_BASE_URL',
      'PROVIDER_BASE_URL',
    ]);
    expect(problems.join()).not.toContain('hunter2');
  });

  it("watches late and waits for a stall in the sandbox's time", () => {
    const fast = configOf({ SANDBOX_SPEED: '50' });
    expect(stalledAfterMs(fast)).toBe(18_000);
    expect(urgencyRules(fast)).toMatchObject({
      pollIntervalMs: 140,
      inFlightMs: 101,
      lateWatchMs: 1_728_000,
    });
    const slow = configOf({ SANDBOX_SPEED: '0.1', STALLED_AFTER_SECONDS: '31622400' });
    expect(stalledAfterMs(slow)).toBe(316_224_000_000);
    const real = configOf({ SANDBOX_SPEED: '50', PROVIDER_BASE_URL: 'http://x' });
    expect([stalledAfterMs(real), urgencyRules(real).lateWatchMs]).toEqual([900_000, 86_400_000]);
  });
});
