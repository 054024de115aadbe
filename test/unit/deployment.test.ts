import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { configVariables } from '../support/config-variables.ts';
import { Ajv } from 'ajv';

interface Copy {
  readonly isFromBuild: boolean;
  readonly sources: readonly string[];
}

const dockerfile = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ');
const compose = readFileSync('docker-compose.yml', 'utf8');
const example = readFileSync('.env.example', 'utf8');
const { scripts, files, scarfSettings } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
  files: string[];
  scarfSettings: object;
};

const copies = [...dockerfile.matchAll(/^COPY (--from=build )?(.*) \S+$/gm)].map(
  ([, from, sources = '']): Copy => ({ isFromBuild: from !== undefined, sources: sources.split(' ') }),
);

function sourcesOf(isFromBuild: boolean): string[] {
  return copies.flatMap((copy) => (copy.isFromBuild === isFromBuild ? copy.sources : []));
}

describe('the Dockerfile', () => {
  it('copies only what the checkout has and .dockerignore lets in, and .dockerignore lets in nothing else', () => {
    const [first, ...patterns] = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const copied = [...new Set(sourcesOf(false).map((source) => source.replace('./', '')))];
    expect(copied.filter((source) => !existsSync(source))).toEqual([]);
    expect(first).toBe('*');
    expect(patterns.map((pattern) => pattern.slice(1)).toSorted()).toEqual(copied.toSorted());
  });

  it('runs scripts that package.json has', () => {
    const names = [...dockerfile.matchAll(/npm run (\S+)/g)].map(([, name = '']) => name);
    expect(names).toContain('build:service');
    for (const name of names) expect(Object.keys(scripts)).toContain(name);
  });

  it('copies the same of dist as the package has, but the SBOM, which the workflow attaches', () => {
    const packed = files.filter((file) => file.startsWith('dist/') && file !== 'dist/sbom.cdx.json');
    const withMaps = packed.flatMap((file) =>
      file.endsWith('*') ? [file.slice(0, -1), file.replace('*', '.map')] : file,
    );
    const copied = sourcesOf(true).map((source) => source.replace('/app/', ''));
    expect(copied.toSorted()).toEqual(['node_modules', ...withMaps].toSorted());
  });

  it('starts what it has copied, as a user that has a number and can write to /data', () => {
    const lineOf = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(dockerfile)?.[1] ?? '';
    const command = JSON.parse(lineOf('CMD')) as string[];
    expect(sourcesOf(true)).toContain(`/app/${command.at(-1)}`);
    expect(lineOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(dockerfile).toContain(`chown ${lineOf('USER')} ${lineOf('VOLUME')}`);
  });
});

interface Service {
  readonly image: string;
  readonly container_name?: string;
  readonly healthcheck?: object;
  readonly restart: string;
  readonly stop_grace_period: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
}

const { services } = parse(compose) as { services: Record<string, Service> };
const { paybell, ...others } = services;

describe('the defaults', () => {
  it('of docker-compose.yml are those that .env.example shows', () => {
    const defaults = [...compose.matchAll(/\$\{([A-Z0-9_]+):-([^}]*)\}/g)];
    expect(defaults.length).toBeGreaterThan(2);
    for (const [, name = '', value = ''] of defaults) expect(example).toContain(`\n# ${name}=${value}\n`);
  });
});

describe('docker-compose.yml', () => {
  it('sets for Paybell what the image sets, and nothing that has a default in the configuration', () => {
    for (const name of ['HOST', 'PORT', 'DATA_DIR'])
      expect(dockerfile).toMatch(new RegExp(`\\b${name}=${paybell?.environment[name]}(?: |$)`, 'm'));
    const given = Object.entries(paybell?.environment ?? {}).filter(([, value]) => !value.includes('${'));
    expect(given.map(([name]) => name)).toEqual(['HOST', 'PORT', 'DATA_DIR']);
  });

  it('gives Paybell only variables that it reads', () => {
    const known = configVariables();
    const unknown = Object.keys(paybell?.environment ?? {}).filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
  });

  it('asks only for variables that .env.example explains', () => {
    const names = [...compose.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !new RegExp(`^(# )?${name}=`, 'm').test(example))).toEqual([]);
  });

  it('serves the sandbox only to who asked for it', () => {
    expect(compose).toMatch(/^ +PROVIDER: \$\{PROVIDER:\?[^}]*\bsandbox\b/m);
    expect(example).toMatch(/^PROVIDER=$/m);
  });

  it('runs Paybell without rights, on a tree that it may not change', () => {
    expect(paybell).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('has no default for a secret', () => {
    const uses = [...compose.matchAll(/\$\{(\w*(?:PASSWORD|KEYS|KEY))(.{0,2})/g)];
    expect(uses.length).toBeGreaterThan(0);
    expect(
      uses.map(([, name, operator]) => `${name}${operator}`).filter((use) => !use.endsWith(':?')),
    ).toEqual([]);
  });

  it('lets Paybell run in replicas, after its services are healthy, with time to stop', () => {
    expect(paybell?.container_name).toBeUndefined();
    expect(paybell?.ports).toEqual([expect.stringContaining('3000-3009}:3000')]);
    expect(paybell?.stop_grace_period).toBe('20s');
    const conditions = Object.entries(paybell?.depends_on ?? {});
    expect(conditions.map(([name]) => name)).toEqual(Object.keys(others));
    expect(conditions.every(([, { condition }]) => condition === 'service_healthy')).toBe(true);
    expect(Object.values(others).every(({ healthcheck }) => healthcheck !== undefined)).toBe(true);
  });
});

describe('an installation', () => {
  it('is reported to nobody: neither where the package is the root, nor in the image', () => {
    expect(scarfSettings).toEqual({ enabled: false });
    const lines = dockerfile.split('\n');
    const off = lines.indexOf('ENV SCARF_ANALYTICS=false');
    expect(off).toBeGreaterThan(lines.findIndex((line) => /^FROM .* AS build$/.test(line)));
    expect(off).toBeLessThan(lines.findIndex((line) => line.startsWith('RUN npm ci')));
  });
});

const FOLDER = '.github/workflows';
const SCHEMA = JSON.parse(readFileSync('test/support/schemas/github-workflow.json', 'utf8')) as object;

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly Step[]; needs?: string[]; permissions?: object }>
  >;
}

const validate = new Ajv({ strict: false, allErrors: true }).compile(SCHEMA);

describe.each(readdirSync(FOLDER))('.github/workflows/%s', (name) => {
  const text = readFileSync(`${FOLDER}/${name}`, 'utf8');
  const workflow = parse(text) as Workflow;
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  it('fits the schema of GitHub workflows', () => {
    validate(workflow);
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ ...workflow, jobs: { checks: { 'runs-on': 1 } } })).toBe(false);
  });

  it('uses actions by their commit, with the version beside it', () => {
    const lines = text.split('\n').filter((line) => line.includes('uses:'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('may write only where it releases, which the checks come before', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const writing = Object.entries(workflow.jobs).filter(([, { permissions }]) => permissions !== undefined);
    expect(writing.map(([job, { needs }]) => [job, needs])).toEqual([
      ['release', ['audit', 'checks', 'thorough']],
    ]);
  });

  it('runs only scripts and files that exist', () => {
    const commands = steps.map(({ run = '' }) => run).join('\n');
    for (const [, script = ''] of commands.matchAll(/npm run ([\w:-]+)/g))
      expect(Object.keys(scripts)).toContain(script);
    for (const [, file = ''] of commands.matchAll(/(tools\/[\w./-]+\.js|\.ci\/run)/g))
      expect(readFileSync(file, 'utf8')).not.toBe('');
    for (const command of ['npm audit', '.ci/run', 'cosign sign', 'pin-digests.js'])
      expect(commands).toContain(command);
  });

  it('has the Node of the image', () => {
    const [, version] = /^ARG NODE_VERSION=(\S+)$/m.exec(dockerfile) ?? [];
    expect(text).toContain(`node-version: '${version}'`);
  });
});

describe('a release', () => {
  it('is verified by the identity and the image of the workflow that signs it, as SECURITY.md says', () => {
    const page = readFileSync('SECURITY.md', 'utf8');
    const [, file = ''] =
      /--certificate-identity "[^"]*\/(\.github\/workflows\/[\w.-]+)@refs\/tags\/v\$VERSION"/.exec(page) ??
      [];
    const workflow = readFileSync(file, 'utf8');
    expect(workflow).toContain('cosign sign --yes "$IMAGE@');
    expect(workflow).toContain('IMAGE: ghcr.io/${{ github.repository }}');
    expect(page).toContain('cosign verify "ghcr.io/$REPOSITORY:$VERSION"');
    for (const attested of ['attest-build-provenance', 'attest-sbom']) expect(workflow).toContain(attested);
  });

  it('is built from packages whose hashes the lock file has', () => {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Readonly<Record<string, { readonly integrity?: string; readonly link?: boolean }>>;
    };
    const others = Object.entries(lock.packages).filter(
      ([place, { link }]) => place.includes('node_modules/') && link !== true,
    );
    expect(others.length).toBeGreaterThan(100);
    expect(
      others.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true).map(([place]) => place),
    ).toEqual([]);
  });
});
