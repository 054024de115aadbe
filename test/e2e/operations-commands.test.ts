import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { HTTP_PROVIDER_SETTINGS } from '../../src/providers/http/http-settings.ts';
import { configOf } from '../support/config-of.ts';
import { API_KEY } from '../support/app-process.ts';
import type { SharedService } from '../support/shared-process.ts';
import { docsText, NPX, ROOT, snippet } from '../support/doc-snippet.ts';
import { documentsOf, isMatch, type Manifest, ofKind, problemsOf } from '../support/kubernetes.ts';
import { describeWith } from '../support/describe-with.ts';
import { Stage } from '../support/stage.ts';

const PAGES = 'docs/running';
/** The pages whose shell blocks all run here; docs.test.ts only reads the commands of the others. */
const RUN_PAGES = ['alerts', 'backups', 'deployment', 'monitoring', 'scaling', 'secrets', 'upgrades'];
const SECRETS = ['POSTGRES_PASSWORD', 'RABBITMQ_PASSWORD', 'API_KEYS', 'ENCRYPTION_KEY'];

/**
 * Replacements of a container engine and a cluster, which note each call. The parts of kubectl that need no cluster are real.
 */
const PROGRAMS: Readonly<Record<string, string>> = {
  docker: '#!/bin/sh\necho "docker $*" >>"$CALLS"\n',
  npx: NPX,
  kubectl: `#!/bin/sh
echo "kubectl $*" >>"$CALLS"
case "$*" in
  'apply --kustomize '*) "$KUBECTL" kustomize "$3" >>"$APPLIED" && echo --- >>"$APPLIED" ;;
  'apply --filename '*) for file in $(find "$3" -name '*.yaml'); do cat "$file"; echo ---; done >>"$APPLIED" ;;
  *' create secret '*) "$KUBECTL" "$@" --dry-run=client --output yaml >"$CLUSTER_SECRET" ;;
  '--namespace paybell patch secret paybell '*)
    shift 5
    "$KUBECTL" patch --local --filename "$CLUSTER_SECRET" "$@" --output yaml >"$CLUSTER_SECRET.new" ;;
esac
`,
};

let folder: string;

/** Runs a block of the pages in a folder that has the files which the block names. */
async function runBlock(name: string, env: Record<string, string> = {}): Promise<string> {
  const code = await snippet(PAGES, name, 'sh');
  const { stdout } = await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', code], {
    cwd: folder,
    env: {
      HOME: folder,
      CALLS: join(folder, 'calls'),
      APPLIED: join(folder, 'applied'),
      CLUSTER_SECRET: join(folder, 'secret'),
      ...env,
      PATH: `${folder}/bin:${process.env['PATH']}`,
    },
  });
  return stdout;
}

async function read(name: string): Promise<string> {
  const text = await readFile(join(folder, name), 'utf8').catch(() => '');
  await rm(join(folder, name), { force: true });
  return text;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paybell-operations-'));
  for (const name of ['.env.example', 'docker-compose.yml', 'deploy'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await mkdir(join(folder, 'bin'));
  for (const [name, text] of Object.entries(PROGRAMS))
    await writeFile(join(folder, 'bin', name), text, { mode: 0o755 });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describeWith('bash', 'the commands of docs/running', () => {
  it('each have a name by which a test runs them', async () => {
    const texts = await Promise.all(RUN_PAGES.map((page) => docsText(`${PAGES}/${page}.md`)));
    const text = texts.join('\n');
    const blocks = text.match(/^```sh$/gm) ?? [];
    const names = [...text.matchAll(/<!-- snippet: (.+) -->\n\n```sh\n/g)].map(([, name = '']) => name);
    expect(names).toHaveLength(blocks.length);
    expect(new Set(names).size).toBe(names.length);
    const tests = await Promise.all(
      ['e2e', 'slow', 'contract'].map(async (kind) => {
        const files = (await readdir(join(ROOT, 'test', kind))).filter((file) => file.endsWith('.test.ts'));
        return Promise.all(files.map((file) => readFile(join(ROOT, 'test', kind, file), 'utf8')));
      }),
    );
    const code = tests.flat().join('\n');
    expect(names.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
  });

  it('start with compose: .env.example is where the four secrets are filled in', async () => {
    await runBlock('start with compose');
    const env = await readFile(join(folder, '.env'), 'utf8');
    for (const name of [...SECRETS, 'PROVIDER']) expect(env).toMatch(new RegExp(`^${name}=$`, 'm'));
    expect(await read('calls')).toBe('docker compose up --build --detach\ndocker compose ps\n');
  });

  it('look at what was started: in the container, with the command that the image has', async () => {
    await runBlock('look at what was started', { PAYBELL_API_KEY: 'key-1' });
    expect(await read('calls')).toBe(
      'docker compose exec paybell paybell doctor\n' +
        'docker compose exec --env PAYBELL_API_KEY=key-1 paybell paybell payments list\n',
    );
  });

  it('settings behind a proxy are settings', async () => {
    const lines = (await snippet(PAGES, 'settings behind a proxy', 'sh')).split('\n');
    const pairs = lines.map((line) => line.replace(/\s+#.*$/, '').split('='));
    const config = configOf(Object.fromEntries(pairs) as Record<string, string>);
    expect([config.publicUrl, config.trustedProxies]).toEqual(['https://pay.example', ['127.0.0.1']]);
  });
});

describeWith('bash', 'the commands of docs/running beside a running Paybell', () => {
  let stage: Stage;
  let app: SharedService;
  let env: Record<string, string>;

  beforeAll(async () => {
    stage = await Stage.open();
    app = await stage.startWarm();
    env = { ...stage.env(), ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'), PORT: String(app.port) };
    env = { ...env, API_KEYS: `test:${API_KEY}`, PAYBELL_API_KEY: API_KEY, LOG_LEVEL: 'silent' };
  });

  async function keyNames(): Promise<string[]> {
    const { data } = (await (await app.fetch('/api/keys')).json()) as { data: { name: string }[] };
    return data.map(({ name }) => name);
  }

  it('rotate an API key: the new one is there before the old one goes', async () => {
    await app.fetch('/api/keys', { method: 'POST', body: { name: 'shop-1', role: 'shop' } });
    const printed = await runBlock('rotate an API key', env);
    expect(printed.match(/shop-1/g)?.length).toBeGreaterThan(0);
    expect(await keyNames()).toEqual(expect.arrayContaining(['shop-2']));
    expect(await keyNames()).not.toContain('shop-1');
  });

  it('say that the database went back, as often as wanted', async () => {
    for (const times of [1, 2])
      expect([times, await runBlock('say that the database went back', env)]).toEqual([
        times,
        expect.stringContaining('A new epoch begins'),
      ]);
  });

  it('ask for operational events', async () => {
    await runBlock('ask for operational events', env);
    const { data } = (await (await app.fetch('/api/webhook-endpoints')).json()) as {
      data: { url: string }[];
    };
    expect(data.find(({ url }) => url === 'https://pager.shop.example/paybell')).toMatchObject({
      eventTypes: ['attention.opened', 'attention.closed'],
    });
  });

  it('hand over a file of payments', async () => {
    const quoteId = stage.provider.addQuote();
    await writeFile(join(folder, 'payments.jsonl'), `${JSON.stringify({ quoteId, orderId: 'A-1' })}\n`);
    await runBlock('hand over a file of payments', env);
    const payment = (await (await app.fetch(`/api/payments/${quoteId}`)).json()) as { orderId: string };
    expect(payment.orderId).toBe('A-1');
  });
});

describeWith(['kubectl', 'bash'], 'the commands for Kubernetes of docs/running', (kubectl) => {
  let env: Record<string, string>;
  let applied: Manifest[];

  async function calledWith(selector: string): Promise<string[]> {
    const [name = '', value = ''] = selector.split('=');
    const chosen = ofKind(applied, 'Deployment').filter(({ metadata }) =>
      isMatch(metadata.labels ?? {}, { [name]: value }),
    );
    return chosen.map(({ metadata }) => metadata.name).toSorted();
  }

  beforeAll(async () => {
    env = {
      KUBECTL: (await promisify(execFile)('which', [kubectl])).stdout.trim(),
      PROVIDER_API_KEY: 'key-"1"',
    };
    await runBlock('apply the manifests', env);
    applied = documentsOf(await read('applied')).filter((each) => each !== null);
  });

  it('apply the manifests: the namespace first, then what Paybell needs, and at last Paybell', () => {
    expect(applied.flatMap(problemsOf)).toEqual([]);
    const kinds = applied.map(({ kind }) => kind);
    expect(kinds[0]).toBe('Namespace');
    expect(kinds.indexOf('RabbitmqCluster')).toBeLessThan(kinds.indexOf('Deployment'));
    expect(kinds.indexOf('Cluster')).toBeLessThan(kinds.indexOf('Deployment'));
  });

  it('apply the manifests: the Secret has all that the Deployments ask it for, in a form that Paybell takes', async () => {
    const [secret] = documentsOf(await readFile(join(folder, 'secret'), 'utf8'));
    const data = decoded(secret);
    expect(secret?.metadata).toMatchObject({ name: 'paybell', namespace: 'paybell' });
    const wanted = ofKind(applied, 'Deployment').flatMap(({ spec }) =>
      spec.template.spec.containers.flatMap(({ env: entries }) =>
        entries.flatMap(({ valueFrom }) => {
          const { name, key, optional = false } = valueFrom?.secretKeyRef ?? { name: '', key: '' };
          return name === 'paybell' && !optional ? [key] : [];
        }),
      ),
    );
    expect(Object.keys(data)).toEqual(expect.arrayContaining(wanted));
    const config = configOf({
      ...data,
      DATABASE_URL: 'postgres://a',
      PROVIDER_BASE_URL: 'https://provider.example',
    });
    expect(config.apiKeys?.map(({ role }) => role)).toEqual(['shop', 'admin']);
    expect(config.of(HTTP_PROVIDER_SETTINGS).apiKey).toBe('key-"1"');
  });

  it('rotate a Secret: the provider’s key alone changes, and the pods of all roles start anew', async () => {
    const [before] = documentsOf(await readFile(join(folder, 'secret'), 'utf8'));
    await rm(join(folder, 'calls'), { force: true });
    await runBlock('rotate a Secret', { ...env, PROVIDER_API_KEY: 'key-2' });
    const [patched] = documentsOf(await read('secret.new')) as [
      Manifest & { stringData?: Record<string, string> },
    ];
    expect({ ...decoded(patched), ...patched.stringData }).toEqual({
      ...decoded(before),
      PROVIDER_API_KEY: 'key-2',
    });
    const calls = await read('calls');
    const [, selector = ''] = /rollout restart deployment --selector (\S+)/.exec(calls) ?? [];
    expect(await calledWith(selector)).toEqual(['paybell-api', 'paybell-dispatcher', 'paybell-tracker']);
  });

  it('upgrade in Kubernetes: every role gets the new release’s image', async () => {
    await runBlock('upgrade in Kubernetes', { ...env, VERSION: '9.8.7' });
    const images = (await read('applied')).match(/image: .*/g);
    expect(images).toEqual(Array(3).fill(expect.stringMatching(/paybell:9\.8\.7$/)));
  });
});

/** The content of a Secret. */
function decoded(secret: Manifest | undefined): Record<string, string> {
  const pairs = Object.entries(secret?.data ?? {}).map(([name, value]) => [
    name,
    Buffer.from(value, 'base64').toString('utf8'),
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}
