import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';

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
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    for (const [, script = ''] of commands.matchAll(/npm run ([\w:-]+)/g))
      expect(Object.keys(scripts)).toContain(script);
    for (const [, file = ''] of commands.matchAll(/(tools\/[\w./-]+\.js|\.ci\/run)/g))
      expect(readFileSync(file, 'utf8')).not.toBe('');
    for (const command of ['npm audit', '.ci/run', 'cosign sign', 'pin-digests.js'])
      expect(commands).toContain(command);
  });

  it('has the Node of the image', () => {
    const [, version] = /^ARG NODE_VERSION=(\S+)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
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
