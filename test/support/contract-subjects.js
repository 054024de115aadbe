import { namesOfLongest } from './e2e-subjects.js';

/** Modules with all stores, by which tests set a scene: by imports, each store would be the subject of 70 files. */
export const SCENES = ['stores', 'leasing-stores', 'data-source', 'polling-stages'].map(
  (name) => `test/support/${name}.ts`,
);

/**
 * Which files of test/contract `npm run test:changed` runs for a changed path, besides those that Jest finds by their imports
 * without the SCENES. The longest folder at the beginning of a changed path counts.
 */
export const CONTRACT_OF = {
  'src/database/attention/': ['attention.store', 'payment-needs', 'untold.store'],
  'src/database/audit/': ['audit-log.contract'],
  'src/database/connection/': [
    'database',
    'database-health.contract',
    'database-tls',
    'database-guard',
    'session-settings',
    'kept-plans',
  ],
  'src/database/deliveries/': [
    'delivery-log.store',
    'leased-deliveries',
    'postgres-deliveries',
    'replays.store',
    'known-destinations.store',
  ],
  'src/database/endpoints/': ['webhook-endpoints.store', 'known-destinations.store'],
  'src/database/entities/': ['database-health.contract'],
  'src/database/events/': ['event-log.contract', 'event-log-order', 'postgres-recording'],
  'src/database/figures/': ['minute-figures.contract', 'delivery-figures.store'],
  'src/database/functions/': [
    'database-functions',
    'rules-in-sql',
    'postgres-recording',
    'postgres-deliveries',
    'postgres-circuits',
    'kept-plans',
    'event-log-order',
  ],
  'src/database/gate/': ['database', 'database-functions', 'database-guard', 'known-schema'],
  'src/database/history/': ['database-history'],
  'src/database/payments/': [
    'payments.contract',
    'payment-filters.contract',
    'payment-list',
    'payment-progress.store',
    'payment-groups',
    'payment-texts',
    'removed-payments',
    'labels',
  ],
  'src/database/polling/': ['schedule', 'lock-due', 'quiet-polls', 'provider-rate-limit', 'quotes.contract'],
  'src/database/proof/': ['proofs.store', 'proof-patience.store', 'watched-deposits.store', 'withheld.store'],
  'src/database/schema/': ['known-schema', 'database-health.contract', 'kept-plans'],
  'src/database/secrets/': ['api-keys.store', 'sessions.store', 'webhook-endpoints.store'],
  'src/features/polling/': ['schedule', 'quiet-polls', 'provider-rate-limit', 'lock-due'],
  'src/domain/': ['rules-in-sql', 'postgres-recording', 'schedule'],
};

/** The files of test/contract for these changed paths. */
export function contractFilesFor(/** @type {readonly string[]} */ paths) {
  const names = paths.flatMap((path) => namesOfLongest(CONTRACT_OF, path));
  return [...new Set(names)].map((name) => `test/contract/${name}.test.ts`);
}
