import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The programs beyond Node that some tests run on. Plain JavaScript without a dependency: `npm run test:tools` reads it
 * before `npm ci`, tests and the reporter read it after.
 *
 * @typedef {object} Tool
 * @property {string} title as messages name it
 * @property {string} purpose which tests run on it
 * @property {readonly string[]} apt its packages on Debian and Ubuntu; none: a package manager cannot bring it
 * @property {readonly string[]} brew its packages in Homebrew
 * @property {() => string | null} find its path, or the word that starts it; null where this machine has none
 */

const DEBIAN_RABBITMQ = '/usr/lib/rabbitmq/lib';
const DEBIAN_POSTGRES = '/usr/lib/postgresql';
/** Programs that a cluster with a standby needs, some of which the packages of npm lack. */
const POSTGRES_PROGRAMS = ['initdb', 'postgres', 'pg_basebackup', 'pg_ctl', 'psql'];
/** The first program renders the same without a window, and takes less memory. CHROMIUM names another program. */
const CHROMIUMS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const PYTHONS = ['python3', '/usr/bin/python3'];
/** The folder in which Debian's package php-amqplib puts its classes. */
export const PHP_AMQPLIB = '/usr/share/php/PhpAmqpLib/autoload.php';
/** The package of this platform, which a devDependency brings. */
const ANVIL = `anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
const FAKETIME_LIBRARY = 'libfaketimeMT.so.1';
const FAKETIME_FOLDERS = ['/usr/lib/faketime', '/usr/local/lib/faketime', '/usr/lib64/faketime'];
const ANSWER_MS = 20_000;

/** @satisfies {Record<string, Tool>} */
export const TOOLS = {
  rabbitmq: {
    title: 'RabbitMQ',
    purpose: 'publishing, the track queue and the main job',
    apt: ['rabbitmq-server'],
    brew: ['rabbitmq'],
    // The server's own start script: Debian's wrapper in /usr/sbin would change the user and the folders.
    find: () =>
      executableIn('rabbitmq-server', [
        ...foldersOf(DEBIAN_RABBITMQ, 'sbin').sort().reverse(),
        ...pathFolders(),
        '/opt/homebrew/sbin',
        '/usr/local/sbin',
      ]),
  },
  chromium: {
    title: 'Chromium',
    purpose: 'the pages of the dashboard',
    apt: ['chromium-headless-shell'],
    brew: ['chromium'],
    find: () => [process.env['CHROMIUM'] ?? '', ...CHROMIUMS].find((path) => existsSync(path)) ?? null,
  },
  prometheus: {
    title: 'Prometheus',
    purpose: 'the alert rules',
    apt: ['prometheus'],
    brew: ['prometheus'],
    find: () => (runs('promtool', ['--version']) && runs('prometheus', ['--version']) ? 'promtool' : null),
  },
  postgresql: {
    title: 'PostgreSQL with its standby programs',
    purpose: 'standbys, failover and the chaos run',
    apt: ['postgresql'],
    brew: ['postgresql'],
    find: () =>
      [...foldersOf(DEBIAN_POSTGRES, 'bin').sort(byVersion), ...pathFolders(), '/opt/homebrew/bin'].find(
        (folder) => POSTGRES_PROGRAMS.every((name) => existsSync(join(folder, name))),
      ) ?? null,
  },
  pgbouncer: {
    title: 'PgBouncer',
    purpose: 'a database behind a pooler',
    apt: ['pgbouncer'],
    brew: ['pgbouncer'],
    find: () => executableIn('pgbouncer', [...pathFolders(), '/usr/sbin', '/usr/local/sbin']),
  },
  faketime: {
    title: 'libfaketime',
    purpose: 'clocks that are wrong',
    apt: ['faketime'],
    brew: [],
    find: () =>
      [...foldersOf('/usr/lib', 'faketime'), ...FAKETIME_FOLDERS]
        .map((folder) => join(folder, FAKETIME_LIBRARY))
        .find((path) => existsSync(path)) ?? null,
  },
  php: {
    title: 'PHP',
    purpose: "the docs' snippets in PHP",
    apt: ['php-cli'],
    brew: ['php'],
    find: () => (runs('php', ['-r', '']) ? 'php' : null),
  },
  'php-amqplib': {
    title: 'php-amqplib',
    purpose: "the docs' consumer in PHP",
    apt: ['php-cli', 'php-amqplib'],
    brew: [],
    find: () => (runs('php', ['-r', `require '${PHP_AMQPLIB}';`]) ? 'php' : null),
  },
  'php-sqlite': {
    title: 'PHP with SQLite',
    purpose: 'the example shop in PHP',
    apt: ['php-cli', 'php-sqlite3'],
    brew: ['php'],
    find: () => (runs('php', ['-r', "new PDO('sqlite::memory:');"]) ? 'php' : null),
  },
  python: {
    title: 'Python',
    purpose: "the docs' snippets and the example shop in Python",
    apt: ['python3'],
    brew: ['python'],
    find: () => PYTHONS.find((python) => runs(python, ['-c', 'import sys'])) ?? null,
  },
  pika: {
    title: 'pika',
    purpose: "the docs' consumer in Python",
    apt: ['python3', 'python3-pika'],
    brew: [],
    find: () => PYTHONS.find((python) => runs(python, ['-c', 'import pika'])) ?? null,
  },
  java: {
    title: 'Java',
    purpose: "the docs' verification by hand in Java",
    apt: ['default-jdk-headless'],
    brew: ['openjdk'],
    // A runtime without a compiler cannot start a source file.
    find: () => (runs('java', ['--describe-module', 'jdk.compiler']) ? 'java' : null),
  },
  ruby: {
    title: 'Ruby',
    purpose: "the docs' verification by hand in Ruby",
    apt: ['ruby'],
    brew: ['ruby'],
    find: () => (runs('ruby', ['-ropenssl', '-e', '']) ? 'ruby' : null),
  },
  kubectl: {
    title: 'kubectl 1.27 or later',
    purpose: 'the manifests of deploy/kubernetes',
    apt: ['kubernetes-client'],
    brew: ['kubernetes-cli'],
    find: () => (rendersWithKustomize5() ? 'kubectl' : null),
  },
  tini: {
    title: 'tini',
    purpose: 'processes started as the image starts them',
    apt: ['tini'],
    brew: [],
    find: () => (runs('tini', ['--version']) ? 'tini' : null),
  },
  bash: {
    title: 'Bash',
    purpose: 'the commands of docs/running',
    apt: ['bash'],
    brew: ['bash'],
    find: () => (runs('bash', ['-c', '']) ? 'bash' : null),
  },
  curl: {
    title: 'curl',
    purpose: 'requests of a client that is not Node',
    apt: ['curl'],
    brew: ['curl'],
    find: () => (runs('curl', ['--version']) ? 'curl' : null),
  },
  script: {
    title: 'script',
    purpose: 'the command line on a pseudo-terminal',
    apt: ['bsdutils'],
    brew: [],
    find: () => (runs('script', ['--quiet', '--return', '--command', 'exit', '/dev/null']) ? 'script' : null),
  },
  tar: {
    title: 'tar',
    purpose: 'the packed npm packages',
    apt: ['tar'],
    brew: ['gnu-tar'],
    find: () => (runs('tar', ['--version']) ? 'tar' : null),
  },
  anvil: {
    title: 'Anvil',
    purpose: 'proofs on a real EVM node',
    // npm installs the program on the platforms for which it is built.
    apt: [],
    brew: [],
    find: () => executableIn('anvil', [join('node_modules', '@foundry-rs', ANVIL, 'bin')]),
  },
  litecoind: {
    title: 'Litecoin Core',
    purpose: 'proofs on a real chain of outputs',
    apt: ['litecoind'],
    brew: [],
    // Debian's script before it would write to the home folder.
    find: () => executableIn('litecoind', ['/usr/lib/litecoin', ...pathFolders()]),
  },
  root: {
    title: 'the user root',
    purpose: 'users and mounts',
    apt: [],
    brew: [],
    find: () => (process.getuid?.() === 0 ? 'root' : null),
  },
};

/** @typedef {keyof typeof TOOLS} ToolName */

/** @param {string} folder @param {string} below @returns {string[]} `below` in each folder of `folder` */
function foldersOf(folder, below) {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, below)) : [];
}

function pathFolders() {
  return (process.env['PATH'] ?? '').split(delimiter);
}

/** @param {string} a @param {string} b @returns {number} the newest PostgreSQL first */
function byVersion(a, b) {
  return Number(b.split('/').at(-2)) - Number(a.split('/').at(-2));
}

/** @param {string} name @param {readonly string[]} folders @returns {string | null} */
function executableIn(name, folders) {
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

/** @param {string} path @returns {boolean} */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} program @param {string[]} words @returns {boolean} */
function runs(program, words) {
  return spawnSync(program, words, { stdio: 'ignore', timeout: ANSWER_MS }).status === 0;
}

/** Older ones render `deploy/kubernetes` otherwise. */
function rendersWithKustomize5() {
  const { status, stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], {
    encoding: 'utf8',
    timeout: ANSWER_MS,
  });
  if (status !== 0) return false;
  const { kustomizeVersion = 'v0' } = JSON.parse(stdout);
  return /^v[5-9]\./.test(kustomizeVersion);
}
