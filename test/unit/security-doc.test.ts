import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

/** A test by its file and the beginning of its name. */
type Shown = readonly [file: string, name: string];

const KUBERNETES = 'test/tools/kubernetes-manifests.test.ts';
const SIGN_IN = 'test/e2e/plain-api/sign-in.ts';
const SESSIONS = 'test/e2e/sessions.test.ts';
const AUDIT = 'test/e2e/access/audit-log.ts';
const RPCS = 'test/contract/chains/evm-hostile-rpcs.test.ts';
const REPORTS = 'test/unit/apply-report.test.ts';

/** What SECURITY.md says a person or a part can do and can not do, with the tests that show it. */
const WHO: Readonly<Record<string, readonly Shown[]>> = {
  'anyone who reaches the port': [
    ['test/unit/routes-access.test.ts', 'is open, or names the roles that may use it'],
    ['test/e2e/access/role-table.ts', 'holds in each cell'],
    ['test/e2e/plain-api/open-places.ts', 'are open by default'],
    [SIGN_IN, 'has a page that needs no key'],
    ['test/e2e/revoked-keys.test.ts', 'count together'],
  ],
  'a key of role `shop`': [
    ['test/e2e/access/role-table.ts', 'holds in each cell'],
    [AUDIT, 'can not be filled with refused requests'],
  ],
  '`viewer`, `operator`, `admin`': [
    ['test/e2e/access/role-table.ts', 'holds in each cell'],
    ['test/unit/routes-access.test.ts', 'that changes something is in the audit log'],
    [AUDIT, 'comes before the change'],
  ],
  'a browser of a person signed in': [
    [SESSIONS, 'may do what the role of its key allows now'],
    [SESSIONS, 'ends twelve hours after the sign-in'],
    [SESSIONS, 'changes nothing with a session, signs nobody in'],
  ],
  'a key or session that is revoked': [
    ['test/e2e/revoked-keys.test.ts', 'is refused and ends its streams within 2 s'],
    ['test/e2e/revoked-keys.test.ts', 'ends its sessions and their streams as soon'],
    ['test/unit/answer-access.test.ts', 'end when their key could not be checked'],
  ],
  'the provider': [
    [REPORTS, 'numbers events 1, 2, 3 without a gap, completes at most once'],
    [REPORTS, 'moves nothing when it goes back'],
    ['test/unit/apply-poll.test.ts', 'takes a report about another quote for none'],
  ],
  'the receiver of a webhook': [
    ['test/contract/postgres-deliveries.test.ts', 'waits for a failing event, never for another payment'],
    ['test/contract/webhook-destination.test.ts', 'follows no redirect'],
    ['test/contract/webhook-hostile-bytes.test.ts', 'keeps memory flat over 200 endless bodies'],
  ],
  'an RPC of `CHAIN_RPC`': [
    [RPCS, '%s: nothing is proven and nothing contradicted'],
    [RPCS, '%s: what is wrong is never proven, what is right never contradicted'],
    [RPCS, 'is not asked again while its circuit is open'],
    [RPCS, 'is given up when it does not answer in time'],
    [RPCS, 'is refused within private ranges'],
  ],
  'who publishes to the track queue': [
    ['test/unit/track-messages.test.ts', 'tracks its quote with order id and metadata'],
    ['test/unit/track-messages.test.ts', 'stores the quote that it carries'],
    ['test/unit/track-messages.test.ts', 'sets no status, whatever it says'],
    ['test/unit/payments-api/payments.ts', 'refuses a quote whose deposit address is not the reported one'],
  ],
  'who reads the database': [
    ['test/contract/webhook-endpoints.store.test.ts', 'stores no secret readably'],
    [SIGN_IN, 'keeps tokens and keys out of its log, its answers and its tables'],
  ],
  // It is trusted with everything: there is no promise to show.
  'who writes to the database': [],
};

/** The threats of SECURITY.md, with the tests of what is checked. */
const THREATS: Readonly<Record<string, readonly Shown[]>> = {
  'a forged webhook makes a shop fulfil': [
    ['test/contract/webhook-destination.test.ts', 'signs with every secret that is valid now'],
    ['test/unit/webhook-signature.test.ts', 'signs so that the public key verifies it, and no other'],
  ],
  'a webhook’s URL leads into the network': [
    ['test/unit/webhook-url-table.test.ts', '%s is %s, by its URL, by its connection'],
    ['test/contract/webhook-rebinding.test.ts', 'is connected to at the address that was judged'],
    ['test/contract/webhook-destination.test.ts', 'follows no redirect'],
    [KUBERNETES, 'leads out to no address that Paybell refuses webhooks to'],
  ],
  'a provider contradicts itself, or lies': [
    [REPORTS, 'is recorded once for each distinct contradiction'],
    [REPORTS, 'numbers events 1, 2, 3 without a gap, completes at most once'],
    // The provider's word is taken for a completion, also without a transaction.
    ['test/unit/relay-status.test.ts', 'end a success without hashes, times and amounts'],
  ],
  'wrong keys are tried': [
    ['test/unit/api-key-verifier.test.ts', 'keeps no secret, only hashes'],
    ['test/unit/api-key-verifier.test.ts', 'compares with every known key'],
    ['test/unit/key-throttle.test.ts', 'cost nothing four times, and then a wait that doubles'],
    ['test/e2e/revoked-keys.test.ts', 'are counted by all replicas together'],
  ],
  'the audit log is filled': [
    ['test/unit/refused-changes.test.ts', 'have an entry each, without values'],
    [AUDIT, 'can not be filled with refused requests'],
  ],
  'a cell of a CSV file is a formula': [['test/unit/csv-line.test.ts', 'is no formula with the separator']],
  'a large, slow or nested request': [
    ['test/e2e/plain-api/key-first.ts', 'is not inflated or parsed'],
    ['test/e2e/plain-api/key-first.ts', 'that comes slowly, or not at all, is answered at once'],
    ['test/e2e/http-shell.test.ts', 'more than 100 KiB, also when it is sent compressed'],
    ['test/e2e/http-shell.test.ts', 'more than 32 levels or 10,000 values'],
    ['test/unit/track-messages.test.ts', 'nested deeply'],
  ],
  'secrets in logs, errors and metrics': [
    ['test/e2e/secrets.test.ts', 'no log line, at the most talkative level'],
    [
      'test/e2e/metrics.test.ts',
      'show open payments, polls, requests and the gaps before changes, and no secret',
    ],
    ['test/e2e/http-shell.test.ts', 'is a 500 that says nothing'],
  ],
  'another site uses a person’s session': [
    [SESSIONS, 'exchanges a key for a cookie that no script reads, no other site sends'],
    [SESSIONS, 'is compared with the Host'],
    ['test/e2e/pages.test.ts', 'let a browser load nothing from elsewhere'],
  ],
  'a stolen dump': [
    ['test/unit/secret-box.test.ts', 'writes its version, the key id'],
    ['test/contract/webhook-endpoints.store.test.ts', 'stores no secret readably'],
  ],
  'a process that is taken over': [
    [KUBERNETES, 'runs what the image runs, as a user without rights, on a tree'],
    [KUBERNETES, 'allows nothing that no policy names'],
  ],
  'a dependency or an image is exchanged': [
    ['test/unit/workflows.test.ts', 'is built from packages whose hashes the lock file has'],
    ['test/unit/workflows.test.ts', 'uses actions by their commit'],
    ['test/unit/workflows.test.ts', 'is verified by the identity and the image of the workflow'],
    ['test/unit/workflows.test.ts', 'runs only scripts and files that exist'],
    ['test/tools/licences.test.ts', 'all have a licence of the list'],
    ['test/tools/pin-digests.test.ts', 'leaves no image without its digest'],
    ['test/e2e/sbom.test.ts', 'the build leaves a CycloneDX list'],
  ],
};

const page = readFileSync('SECURITY.md', 'utf8');

/** The first cells of the table with this heading. */
function firstCells(heading: string): string[] {
  const [, table = ''] = page.split(new RegExp(`^\\| ${heading} +\\|.*\\n\\|[ -|]+\\n`, 'm'));
  const rows = table.split('\n');
  const end = rows.findIndex((row) => !row.startsWith('|'));
  return rows.slice(0, end).map((row) => row.split('|')[1]?.trim().replaceAll("'", '’') ?? '');
}

describe.each([
  ['who', WHO],
  ['threat', THREATS],
])('the table of SECURITY.md that begins with %s', (heading, shown) => {
  it('has rows whose tests are named here, and no others', () => {
    expect(firstCells(heading)).toEqual(Object.keys(shown));
  });

  it.each(Object.entries(shown))('%s: has tests that there are', (_row, tests) => {
    const missing = tests.filter(([file, name]) => !readFileSync(file, 'utf8').includes(name));
    expect(missing).toEqual([]);
  });
});
