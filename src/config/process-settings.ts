import { certificateFile } from './certificate-kinds.ts';
import { choice, integer, set, text, uriReference } from './kinds.ts';
import { postgresUrls, warningsOf, withAuthorities } from './postgres-urls.ts';
import { key32 } from './secret-kinds.ts';
import { ROLES, section } from './setting.ts';

const DAYS = { min: 1, max: 36_500 } as const;

export const PROCESS = section({
  heading: 'Process and database',
  about: '',
  rows: {
    roles: set('ROLES', ROLES, { text: 'the work of this process: [deployment.md](deployment.md#roles)' }),
    databaseUrls: postgresUrls('DATABASE_URL', {
      isSecret: true,
      text: 'PostgreSQL ≥ 14 with UTF8, or [several hosts](#several-addresses); unset: an embedded PostgreSQL in `DATA_DIR`',
    }),
    databaseDirectUrls: postgresUrls('DATABASE_DIRECT_URL', {
      isSecret: true,
      text: 'a way past a pooler for migrations; unset: they go through `DATABASE_URL` too',
    }),
    databaseCaFile: certificateFile('DATABASE_CA_FILE', {
      text: 'authorities that [verify PostgreSQL](#tls-to-the-database), not the well-known ones',
    }),
    databaseReadWrite: choice('DATABASE_READ_WRITE', ['respect', 'force'], {
      default: 'respect',
      text: '`force`: write despite [`default_transaction_read_only`](#settings-of-the-database)',
    }),
    databasePoolSize: integer('DATABASE_POOL_SIZE', {
      default: 10,
      min: 2,
      max: 200,
      text: 'connections to PostgreSQL for each replica; reads take a third at most',
    }),
    dataDir: text('DATA_DIR', {
      default: './.paybell',
      values: 'folder',
      text: 'holds the embedded database and the generated encryption key',
    }),
    encryptionKey: key32('ENCRYPTION_KEY', {
      agreed: ROLES,
      isSecret: true,
      text: "encrypts webhook secrets and payers' links (`openssl rand -base64 32`); required with `DATABASE_URL`, else generated into `DATA_DIR`",
    }),
    encryptionKeyPrevious: key32('ENCRYPTION_KEY_PREVIOUS', {
      isSecret: true,
      text: 'the former key, during a [rotation](secrets.md#rotate-a-secret)',
    }),
    retentionDays: integer('RETENTION_DAYS', {
      default: 90,
      ...DAYS,
      agreed: ['tracker'],
      text: 'when closed payments are removed, with their events and deliveries',
    }),
    auditRetentionDays: integer('AUDIT_RETENTION_DAYS', {
      default: 365,
      ...DAYS,
      agreed: ['tracker'],
      text: 'when entries of the [audit log](access.md#the-audit-log) are removed',
    }),
    eventSource: uriReference('EVENT_SOURCE', {
      default: 'paybell',
      agreed: ROLES,
      text: 'the `source` of every event (CloudEvents)',
    }),
    orderIds: choice('ORDER_IDS', ['unique', 'shared'], {
      default: 'unique',
      agreed: ['api', 'tracker'],
      text: '`shared`: an order id stands for many orders, and [no second payment](../using/payments.md#orders) is told',
    }),
  },
  withDefaults(values) {
    const { databaseUrls, databaseDirectUrls, databaseCaFile } = values;
    return {
      ...values,
      databaseUrls: withAuthorities(databaseUrls, databaseCaFile),
      databaseDirectUrls: withAuthorities(databaseDirectUrls, databaseCaFile),
    };
  },
  check({ databaseUrls, databaseDirectUrls, databaseCaFile, encryptionKey }, env) {
    if (databaseUrls !== null && encryptionKey === null && !env.isRefused('ENCRYPTION_KEY'))
      env.refuse(
        'ENCRYPTION_KEY',
        'is required with DATABASE_URL: 32 bytes in base64, for example from `openssl rand -base64 32`',
      );
    if (databaseDirectUrls !== null && databaseUrls === null && !env.isRefused('DATABASE_URL'))
      env.refuse('DATABASE_DIRECT_URL', 'needs DATABASE_URL');
    if (databaseCaFile !== null && !hasAuthorities(databaseUrls) && !env.isRefused('DATABASE_URL'))
      env.refuse('DATABASE_CA_FILE', 'needs a DATABASE_URL whose sslmode is not disable or no-verify');
    for (const [name, urls] of [
      ['DATABASE_URL', databaseUrls],
      ['DATABASE_DIRECT_URL', databaseDirectUrls],
    ] as const)
      for (const warning of urls === null ? [] : warningsOf(urls)) env.warn(name, warning);
  },
});

function hasAuthorities(urls: readonly string[] | null): boolean {
  return urls?.some((url) => new URL(url).searchParams.has('sslrootcert')) ?? false;
}
