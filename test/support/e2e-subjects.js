/**
 * Which files of test/e2e `npm run test:changed` runs for a changed path: e2e tests run `dist/` and import nothing of `src/`,
 * so that Jest cannot tell. The longest folder at the beginning of a changed path counts.
 */
export const E2E_OF = {
  'src/': ['main-job'],
  'src/main.ts': ['start-stop', 'start-environment', 'main-job'],
  'src/app.module.ts': ['start-stop', 'main-job'],
  'src/config/': ['start-environment', 'start-failures', 'replica-settings'],
  'src/cli/': ['cli/payments', 'cli/terminal'],
  'src/cli/completion/': ['cli/terminal'],
  'src/cli/database/': ['start-failures'],
  'src/cli/deliveries/': ['cli/endpoints'],
  'src/cli/doctor/': ['cli/doctor'],
  'src/cli/endpoints/': ['cli/endpoints'],
  'src/cli/events/': ['cli/streams'],
  'src/cli/listen/': ['cli/streams'],
  'src/cli/reconcile/': ['cli/reconcile'],
  'src/cli/restored/': ['restored'],
  'src/cli/sandbox/': ['cli/streams'],
  'src/database/connection/': ['database-faults', 'database-readiness', 'database-troubles', 'kill'],
  'src/database/deliveries/': ['endpoint-circuit', 'kill'],
  'src/database/endpoints/': ['endpoint-circuit', 'recover'],
  'src/database/figures/': ['figures', 'metrics', 'told-everywhere'],
  'src/database/functions/': ['main-job', 'kill', 'replicas'],
  'src/database/payments/': ['api-answers'],
  'src/database/payments/add-payments.ts': ['kill'],
  'src/database/polling/': ['late-watch', 'replicas', 'kill'],
  'src/database/schema/': ['database-readiness', 'restored', 'main-job'],
  'src/database/secrets/': ['secrets', 'unreadable-secret'],
  'src/destinations/rabbitmq/': ['broker-faults', 'broker-roles', 'track-queue'],
  'src/destinations/webhook/': ['receiver-faults'],
  'src/chains/': ['proof/observe', 'proof/require', 'proof/tron', 'proof/utxo'],
  'src/chains/sandbox/': ['demo-proof'],
  'src/database/proof/': [
    'proof/observe',
    'proof/require',
    'proof/lies',
    'proof/database-stops',
    'proof/leaving-require',
  ],
  'src/features/proof/': [
    'proof/observe',
    'proof/require',
    'proof/lies',
    'proof/unprovable',
    'proof/leaving-require',
  ],
  'src/features/adoption/': ['api-answers', 'track-queue'],
  'src/features/api-keys/': ['access', 'revoked-keys'],
  'src/features/attention/': ['figures', 'operational-events', 'told-everywhere', 'dashboard/screens'],
  'src/features/audit/': ['access'],
  'src/features/dashboard/': ['dashboard-build'],
  'src/features/destinations/': ['cli/reconcile', 'cli/endpoints', 'dashboard/service'],
  'src/features/delivery/': ['endpoint-circuit', 'kill'],
  'src/features/events/': ['event-streams', 'schemas', 'revoked-keys'],
  'src/features/figures/': ['figures', 'metrics'],
  'src/features/health/': ['provider-health', 'grafana-boards'],
  'src/features/payer-page/': ['docs/payer-page'],
  'src/features/payments/': ['api-answers', 'cli/payments'],
  'src/features/polling/': ['late-watch', 'provider-health'],
  'src/features/provider-view/': ['provider-health'],
  'src/domain/payment/amounts.ts': ['sums'],
  'src/features/quotes/': ['provider-health', 'several-providers'],
  'src/features/sessions/': ['access'],
  'src/features/system/': ['replica-settings', 'dashboard/service'],
  'src/features/webhook-endpoints/': ['endpoint-circuit', 'recover'],
  'src/platform/embedded-postgres/': ['start-failures', 'start-stop'],
  'src/platform/http/': ['plain-api', 'unread-answers'],
  'src/platform/metrics/': ['metrics'],
  'src/platform/process/': ['signals', 'start-stop', 'start-failures', 'unwritable-log'],
  'src/platform/tracing/': ['traces'],
  'src/providers/': ['several-providers'],
  'src/providers/chainflip/': ['chainflip-replicas'],
  'src/providers/relay/': ['relay-main-job', 'relay-notices'],
  'src/providers/sandbox/': ['demo-proof'],
  'tools/demo/': ['demo-providers', 'demo-proof'],
  'web/': [
    'dashboard/daily-work',
    'dashboard/endpoints',
    'dashboard/faults',
    'dashboard/payments',
    'dashboard/screens',
    'dashboard/service',
  ],
  'web/src/screens/access/': ['dashboard/service', 'dashboard/screens'],
  'web/src/screens/attention/': ['dashboard/service', 'dashboard/faults', 'dashboard/screens'],
  'web/src/screens/deliveries/': ['dashboard/endpoints', 'dashboard/daily-work', 'dashboard/screens'],
  'web/src/screens/delivery/': ['dashboard/endpoints', 'dashboard/screens'],
  'web/src/screens/endpoint/': ['dashboard/endpoints', 'dashboard/screens'],
  'web/src/screens/endpoints/': ['dashboard/endpoints', 'dashboard/screens'],
  'web/src/screens/live/': ['dashboard/service', 'dashboard/screens'],
  'web/src/screens/order/': ['dashboard/daily-work', 'dashboard/screens'],
  'web/src/screens/payment/': ['dashboard/payments', 'dashboard/daily-work', 'dashboard/screens'],
  'web/src/screens/payments/': ['dashboard/payments', 'dashboard/daily-work', 'dashboard/screens'],
  'web/src/screens/provider/': ['dashboard/service', 'dashboard/screens'],
  'web/src/screens/sandbox/': ['dashboard/service', 'dashboard/screens'],
  'web/src/screens/sign-in/': ['dashboard/service', 'dashboard/screens'],
  'web/src/screens/system/': ['dashboard/service', 'dashboard/screens'],
  'README.md': ['docs/readme-programs'],
  'packages/client/': ['examples', 'docs/client-package', 'docs/readme-programs'],
  'examples/': ['docs/shops-in-languages', 'examples'],
  'deploy/': ['grafana-boards', 'operations-commands'],
  'docs/running/': ['docs/doc-snippets', 'operations-commands'],
  'docs/using/payer-page.md': ['docs/payer-page'],
  'docs/using/events.md': ['docs/doc-snippets', 'event-streams'],
  'docs/': ['docs/doc-snippets'],
  'package-lock.json': ['bundle', 'main-job'],
  'tools/bundle/': ['bundle', 'main-job'],
  'tools/sbom/': ['bundle'],
};

/**
 * The names that a table has for the longest folder at the beginning of a path.
 * @param {Readonly<Record<string, readonly string[]>>} table
 * @param {string} path
 * @returns {readonly string[]}
 */
export function namesOfLongest(table, path) {
  const [folder] = Object.keys(table)
    .filter((each) => path.startsWith(each))
    .sort((a, b) => b.length - a.length);
  return folder === undefined ? [] : (table[folder] ?? []);
}

/** The e2e files for these changed paths, and those among them, as `test/e2e/NAME.test.ts`. */
export function e2eFilesFor(/** @type {readonly string[]} */ paths) {
  const names = paths.flatMap((path) => namesOfLongest(E2E_OF, path));
  const changed = paths.filter((path) => /^test\/e2e\/.*\.test\.ts$/.test(path));
  return [...new Set([...names.map((name) => `test/e2e/${name}.test.ts`), ...changed])];
}
