import { readFile } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

import { COMMAND_LINE } from '../../src/config/client-settings.ts';
import { configVariables } from '../support/config-variables.ts';

const OF_COMMAND_LINE = Object.values(COMMAND_LINE.rows).map(({ name }) => name);
/** Read by docker compose itself, not by Paybell. */
const COMPOSE_ONLY = [
  'POSTGRES_PASSWORD',
  'RABBITMQ_PASSWORD',
  'PAYBELL_REPLICAS',
  'PAYBELL_PORTS',
  'RABBITMQ_MANAGEMENT_PORT',
];

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

function readText(name: string): Promise<string> {
  return readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
}

async function readServices(): Promise<Record<string, Service>> {
  return (parse(await readText('docker-compose.yml')) as { services: Record<string, Service> }).services;
}

function sorted(names: Iterable<string>): string[] {
  return [...names].toSorted();
}

describe('.env.example', () => {
  it('has every variable of the configuration and of docker-compose.yml, and no other', async () => {
    const text = await readText('.env.example');
    const names = [...text.matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name ?? '');
    expect(sorted(names)).toEqual(sorted([...configVariables(), ...OF_COMMAND_LINE, ...COMPOSE_ONLY]));
  });
});

describe('the defaults', () => {
  it('of docker-compose.yml are those that .env.example shows', async () => {
    const [compose, example] = await Promise.all([readText('docker-compose.yml'), readText('.env.example')]);
    const defaults = [...compose.matchAll(/\$\{([A-Z0-9_]+):-([^}]*)\}/g)];
    expect(defaults.length).toBeGreaterThan(2);
    for (const [, name = '', value = ''] of defaults) expect(example).toContain(`\n# ${name}=${value}\n`);
  });
});

describe('docker-compose.yml', () => {
  it('sets for Paybell what the image sets, and nothing that has a default in the configuration', async () => {
    const [{ paybell }, dockerfile] = await Promise.all([readServices(), readText('Dockerfile')]);
    for (const name of ['HOST', 'PORT', 'DATA_DIR'])
      expect(dockerfile).toMatch(new RegExp(`\\b${name}=${paybell?.environment[name]}(?: |$)`, 'm'));
    const given = Object.entries(paybell?.environment ?? {}).filter(([, value]) => !value.includes('${'));
    expect(given.map(([name]) => name)).toEqual(['HOST', 'PORT', 'DATA_DIR']);
  });

  it('gives Paybell only variables that it reads', async () => {
    const { paybell } = await readServices();
    const known = configVariables();
    const unknown = Object.keys(paybell?.environment ?? {}).filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
  });

  it('asks only for variables that .env.example explains', async () => {
    const [compose, example] = await Promise.all([readText('docker-compose.yml'), readText('.env.example')]);
    const names = [...compose.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !new RegExp(`^(# )?${name}=`, 'm').test(example))).toEqual([]);
  });

  it('serves the sandbox only to who asked for it', async () => {
    const [compose, example] = await Promise.all([readText('docker-compose.yml'), readText('.env.example')]);
    expect(compose).toMatch(/^ +PROVIDER: \$\{PROVIDER:\?[^}]*\bsandbox\b/m);
    expect(example).toMatch(/^PROVIDER=$/m);
  });

  it('runs Paybell without rights, on a tree that it may not change', async () => {
    const { paybell } = await readServices();
    expect(paybell).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('has no default for a secret', async () => {
    const compose = await readText('docker-compose.yml');
    const uses = [...compose.matchAll(/\$\{(\w*(?:PASSWORD|KEYS|KEY))(.{0,2})/g)];
    expect(uses.length).toBeGreaterThan(0);
    expect(
      uses.map(([, name, operator]) => `${name}${operator}`).filter((use) => !use.endsWith(':?')),
    ).toEqual([]);
  });

  it('lets Paybell run in replicas, after its services are healthy, with time to stop', async () => {
    const { paybell, ...others } = await readServices();
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
  it('is reported to nobody: neither where the package is the root, nor in the image', async () => {
    const manifest = JSON.parse(await readText('package.json')) as Record<string, unknown>;
    expect(manifest['scarfSettings']).toEqual({ enabled: false });
    const lines = (await readText('Dockerfile')).split('\n');
    const off = lines.indexOf('ENV SCARF_ANALYTICS=false');
    expect(off).toBeGreaterThan(lines.findIndex((line) => /^FROM .* AS build$/.test(line)));
    expect(off).toBeLessThan(lines.findIndex((line) => line.startsWith('RUN npm ci')));
  });
});
