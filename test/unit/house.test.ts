import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { PROVIDERS, QUOTE_TABLES } from '../../src/providers/registered-providers.ts';

const TABLES = QUOTE_TABLES.all.map(({ name }) => name);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The folders of each layer, the lowest first: files import their own folder and lower ones. `*` is the place of the layer's
 * own files, of which modules are above all folders.
 */
const ORDER: Readonly<Record<string, string>> = {
  'src/chains': 'rpc evm tvm utxo sandbox *',
  'src/cli':
    'output completion provider api events deliveries endpoints payments orders quotes reconcile sandbox listen database keys restored doctor *',
  'src/database':
    '* entities schema connection secrets events history gate deliveries attention payments polling proof figures endpoints audit',
  'src/destinations/rabbitmq': '* track-queue',
  'src/domain':
    'text chains proof rate-limit payment event transitions attention delivery figures polling access replicas story',
  'src/platform': '* bounded-reading outbound scheduling embedded-postgres tracing http process metrics',
  'src/providers/relay': '* catalog quote status notices reconcile relay-provider.ts check',
  'web/src': 'format api ui access screens app *',
  'web/src/screens':
    'access deliveries delivery endpoints endpoint live payment payments order provider attention sandbox sign-in system',
};

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return Array.from(text.matchAll(IMPORT), ([, path = '']) => join(dirname(file), path));
}

/** How high a file stands in a layer; null where its folder is not in the order. */
function heightIn(layer: string, file: string): number | null {
  const [name = '', ...rest] = relative(layer, file).split('/');
  const order = ORDER[layer]?.split(' ') ?? [];
  if (rest.length === 0 && name.endsWith('.module.ts')) return order.length;
  const place = rest.length > 0 || order.includes(name) ? name : '*';
  return order.includes(place) ? order.indexOf(place) : null;
}

function importsUpwards(layer: string): string[] {
  return filesIn(layer).flatMap((file) => {
    const height = heightIn(layer, file) ?? -1;
    const above = importsOf(file).filter(
      (imported) => imported.startsWith(`${layer}/`) && (heightIn(layer, imported) ?? -1) > height,
    );
    return above.map((imported) => `${file} > ${imported}`);
  });
}

describe('the database', () => {
  it('names no provider but where it makes their tables: each registers what is read and removed', () => {
    // `http_status` is a column of deliveries.
    const names = Object.keys(PROVIDERS).filter((name) => name !== 'http');
    const named = new RegExp(
      `\\b(?:${[...names.map((name) => `${name}_`), ...TABLES].join('|')})|'(?:${names.join('|')})'`,
    );
    const texts = readdirSync(join(ROOT, 'src/database'), { recursive: true, encoding: 'utf8' }).filter(
      (path) => /\.(?:ts|sql)$/.test(path) && !path.startsWith('schema/'),
    );
    expect(texts.length).toBeGreaterThan(100);
    const naming = texts.filter((path) => named.test(readFileSync(join(ROOT, 'src/database', path), 'utf8')));
    expect(naming).toEqual([]);
  });
});

describe('the command line', () => {
  it('names no provider but the sandbox that it plays stories in: each registers its check', () => {
    const names = Object.keys(PROVIDERS).join('|');
    const named = new RegExp(`providers/(?:${names})/|'(?:${names})'`);
    const files = filesIn('src/cli').filter((file) => !file.startsWith('src/cli/sandbox/'));
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => named.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });
});

describe('the folders of a layer', () => {
  it.each(Object.keys(ORDER))('all have their place in the order of %s', (layer) => {
    expect(filesIn(layer).filter((file) => heightIn(layer, file) === null)).toEqual([]);
  });

  it('import no folder above their own', () => {
    expect(Object.keys(ORDER).flatMap(importsUpwards)).toEqual([]);
  });
});

const FAKES = 'test/support/fakes';

/** Why a fake is in no contract suite. */
const WITHOUT_SUITE: Readonly<Record<string, string>> = {
  'clock.fake.ts': 'it returns the time that a test has set, and there is no other clock to compare it with',
  'meter.fake.ts':
    'it keeps the calls for a test to read, and its port promises nothing that could be read back',
};

/** Contract suites, and the stages that open the implementations of a port side by side for one. */
const SUITES = [
  ...filesOf('test/contract').filter((file) => file.endsWith('.contract.test.ts')),
  ...filesOf('test/support').filter((file) => file.endsWith('-stages.ts')),
];

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${folder}/${name}`);
}

function suitesOf(fake: string): string[] {
  return SUITES.filter((suite) => readFileSync(suite, 'utf8').includes(`/fakes/${fake}'`));
}

describe('a fake of a port', () => {
  const fakes = readdirSync(FAKES).filter((name) => name.endsWith('.fake.ts'));

  it.each(fakes.filter((fake) => !Object.hasOwn(WITHOUT_SUITE, fake)))(
    'is in a contract suite, which the real one passes too: %s',
    (fake) => {
      expect(suitesOf(fake)).not.toEqual([]);
    },
  );
});

/** A test by its file and the beginning of its name. */
type Shown = readonly [file: string, name: string];

const KUBERNETES = 'test/tools/kubernetes-manifests.test.ts';
const SIGN_IN = 'test/e2e/plain-api/sign-in.ts';
const PAYER_PAGE = 'test/unit/payer-page.test.ts';
const SESSIONS = 'test/contract/sessions.test.ts';
const AUDIT = 'test/e2e/access/audit-log.ts';
const RPCS = 'test/contract/chains/evm-hostile-rpcs.test.ts';
const REPORTS = 'test/unit/apply-report.test.ts';

/** SECURITY.md's statements on what a person or a part can and cannot do, with the tests that show them. */
const WHO: Readonly<Record<string, readonly Shown[]>> = {
  'anyone who reaches the port': [
    ['test/unit/routes-access.test.ts', 'is open, or names the roles that may use it'],
    ['test/e2e/access/role-table.ts', 'holds in each cell'],
    ['test/e2e/plain-api/open-places.ts', 'are open by default'],
    [SIGN_IN, 'has a page that needs no key'],
    ['test/unit/key-throttle.test.ts', 'cost nothing four times, and then a wait that doubles'],
  ],
  'who has a [payer’s link](docs/using/payer-page.md)': [
    [PAYER_PAGE, 'shows what the payer must send and what became of it, and nothing else'],
    [PAYER_PAGE, 'ends with the key that made it, whatever its name'],
    ['test/e2e/docs/payer-page.test.ts', 'a link and its stream end with the link'],
  ],
  'a key of role `shop`': [
    ['test/e2e/access/role-table.ts', 'holds in each cell'],
    ['test/unit/secrets.test.ts', 'of one key are counted in one entry after sixty in a minute'],
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
    ['test/unit/keys.test.ts', 'is no longer known to a stream once the key is revoked'],
    ['test/unit/http-requests.test.ts', 'end when their key could not be checked'],
  ],
  'the provider': [
    [REPORTS, 'numbers events 1, 2, 3 without a gap, completes at most once'],
    [REPORTS, 'moves nothing when it goes back'],
    ['test/unit/apply-poll.test.ts', 'takes a report about another quote for none'],
  ],
  'the receiver of a webhook': [
    ['test/contract/postgres-deliveries.test.ts', 'waits for a failing event, never for another payment'],
    ['test/contract/webhook-hostile-receivers.test.ts', 'redirects to itself for ever'],
    ['test/contract/webhook-hostile-receivers.test.ts', 'keeps memory flat over 200 endless bodies'],
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
  // A person who writes to the database is trusted with everything, so that there is no promise to show.
  'who writes to the database': [],
};

/** The threats of SECURITY.md, with the tests that show the protection. */
const THREATS: Readonly<Record<string, readonly Shown[]>> = {
  'a forged webhook makes a shop fulfil': [
    ['test/contract/webhook-destination.test.ts', 'signs with every secret that is valid now'],
    ['test/unit/webhook-signature.test.ts', 'signs so that the public key verifies it, and no other'],
  ],
  'a webhook’s URL leads into the network': [
    ['test/unit/webhook-addresses.test.ts', '%s is %s, by its URL, by its connection'],
    ['test/contract/webhook-rebinding.test.ts', 'is connected to at the address that was judged'],
    ['test/contract/webhook-hostile-receivers.test.ts', 'redirects to itself for ever'],
    [KUBERNETES, 'leads out to no address that Paybell refuses webhooks to'],
  ],
  'a provider contradicts itself, or lies': [
    [REPORTS, 'is recorded once for each distinct contradiction'],
    [REPORTS, 'numbers events 1, 2, 3 without a gap, completes at most once'],
    // The provider's word is taken for a completion, also without a transaction.
    ['test/unit/relay-status.test.ts', 'do not end a success with %s: the word alone proves nothing'],
  ],
  'wrong keys are tried': [
    ['test/unit/api-key-verifier.test.ts', 'keeps no secret, only hashes'],
    ['test/unit/api-key-verifier.test.ts', 'compares with every known key'],
    ['test/unit/key-throttle.test.ts', 'cost nothing four times, and then a wait that doubles'],
    ['test/e2e/revoked-keys.test.ts', 'are counted by all replicas together'],
  ],
  'payers’ links are guessed, or leak': [
    [PAYER_PAGE, 'of another installation'],
    [PAYER_PAGE, 'are refused before their token is decrypted once one address sends too many'],
    ['test/e2e/docs/payer-page.test.ts', 'its token is in no log'],
  ],
  'the audit log is filled': [
    ['test/unit/secrets.test.ts', 'have an entry each, without values'],
    ['test/unit/secrets.test.ts', 'of one key are counted in one entry after sixty in a minute'],
  ],
  'a cell of a CSV file is a formula': [['test/unit/texts.test.ts', 'is no formula with the separator']],
  'a large, slow or nested request': [
    ['test/e2e/plain-api/key-first.ts', 'is refused before anything is said about it'],
    ['test/e2e/plain-api/key-first.ts', 'that comes slowly, or not at all, is answered at once'],
    ['test/contract/http-shell.test.ts', 'more than 256 KiB, also when it is sent compressed'],
    ['test/contract/http-shell.test.ts', 'more than 32 levels or 10,000 values'],
    ['test/unit/track-messages.test.ts', 'nested deeply'],
  ],
  'secrets in logs, errors and metrics': [
    ['test/e2e/secrets.test.ts', 'no log line, at the most talkative level'],
    [
      'test/e2e/metrics.test.ts',
      'show open payments, polls, requests and the gaps before changes, and no secret',
    ],
    ['test/contract/http-shell.test.ts', 'is a 500 that says nothing'],
  ],
  'another site uses a person’s session': [
    [SESSIONS, 'exchanges a key for a cookie that no script reads, no other site sends'],
    [SESSIONS, 'is compared with the Host'],
    ['test/contract/pages.test.ts', 'let a browser load nothing from elsewhere'],
  ],
  'a stolen dump': [
    ['test/unit/secrets.test.ts', 'writes its version, the key id'],
    ['test/contract/webhook-endpoints.store.test.ts', 'stores no secret readably'],
  ],
  'a process that is taken over': [
    [KUBERNETES, 'runs what the image runs, as a user without rights, on a tree'],
    [KUBERNETES, 'allows nothing that no policy names'],
  ],
  'a dependency or an image is exchanged': [
    ['test/unit/deployment.test.ts', 'is built from packages whose hashes the lock file has'],
    ['test/unit/deployment.test.ts', 'uses actions by their commit'],
    ['test/unit/deployment.test.ts', 'is verified by the identity and the image of the workflow'],
    ['test/unit/deployment.test.ts', 'runs only scripts and files that exist'],
    ['test/tools/licences.test.ts', 'all have a licence of the list'],
    ['test/tools/pin-digests.test.ts', 'leaves no image without its digest'],
    ['test/e2e/bundle.test.ts', 'the build leaves a CycloneDX list'],
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
