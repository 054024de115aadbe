import { readFileSync } from 'node:fs';

import { beforeAll, describe, expect, it } from '@jest/globals';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import ipaddr from 'ipaddr.js';

import { ROLES } from '../../src/config/setting.ts';
import { configOf } from '../support/config-of.ts';
import { GLOBAL_IPV6, REFUSED_RANGES } from '../../src/platform/outbound/address-ranges.ts';
import { HealthController } from '../../src/features/health/health.controller.ts';
import { GIVE_UP_AFTER_MS } from '../../src/platform/process/graceful-stop.ts';
import { VERSION } from '../../src/platform/version.ts';
import { configVariables } from '../support/config-variables.ts';
import { describeWith } from '../support/describe-with.ts';
import {
  containerOf,
  type Deployment,
  documentsOf,
  environmentOf,
  isMatch,
  type Kind,
  type Kinds,
  KUBERNETES,
  type Manifest,
  ofKind,
  OVERLAYS,
  problemsOf,
  render,
  type Rule,
} from '../support/kubernetes.ts';

type Labels = Readonly<Record<string, string>>;
type Postgres = Manifest<{ readonly postgresql: { readonly parameters: Labels } }>;

/** Variables that belong to the image, not to Paybell. */
const NOT_SETTINGS = new Set(['NODE_ENV']);
/** Further variables of `Config`; Secrets have their values. */
const SECRETS: Labels = {
  DATABASE_URL: 'postgresql://paybell:secret@paybell-postgres-rw.paybell:5432/paybell',
  RABBITMQ_URL: 'amqp://user:secret@paybell-rabbitmq.paybell.svc:5672/',
  API_KEYS: 'shop:0123456789abcdef0123',
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  PROVIDER_API_KEY: 'key',
};
const [POSTGRES_PORT, RABBITMQ_PORT] = [5432, 5672];

function example(name: string): Manifest[] {
  return documentsOf(readFileSync(`${KUBERNETES}examples/${name}`, 'utf8'));
}

function select<K extends Kind>(manifests: readonly Manifest[], kind: K, role: string): Kinds[K] {
  const found = ofKind(manifests, kind).find(({ metadata }) => metadata.name === `paybell-${role}`);
  if (found === undefined) throw new Error(`there is no ${kind} paybell-${role}`);
  return found;
}

/** The API answers payers too. */
const DEPLOYED = ROLES.filter((role) => role !== 'public');

describe('the examples of deploy/kubernetes', () => {
  const names = ['cloudnative-pg.yaml', 'rabbitmq-cluster.yaml'];

  it.each(names)('%s fits the schema of its operator', (name) => {
    expect(example(name).flatMap(problemsOf)).toEqual([]);
  });

  it.each(names)('%s has the images of docker-compose.yml, by version', (name) => {
    const compose = readFileSync(`${KUBERNETES}../../docker-compose.yml`, 'utf8');
    const [, version = 'none'] = /image(?:Name)?: \S+:([\d.]+)/.exec(
      readFileSync(`${KUBERNETES}examples/${name}`, 'utf8'),
    ) as string[];
    expect(compose).toContain(`${name.startsWith('rabbit') ? 'rabbitmq' : 'postgres'}:${version}`);
  });
});

describeWith('kubectl', 'deploy/kubernetes', (kubectl) => {
  describe.each(OVERLAYS)('rendered for %s', (overlay) => {
    let manifests: readonly Manifest[];
    let deployments: readonly Deployment[];
    let policies: readonly Kinds['NetworkPolicy'][];

    beforeAll(() => {
      manifests = render(kubectl, overlay);
      deployments = ofKind(manifests, 'Deployment');
      policies = ofKind(manifests, 'NetworkPolicy');
    });

    function rulesFor(role: string, direction: 'ingress' | 'egress'): Rule[] {
      const { labels } = select(manifests, 'Deployment', role).spec.template.metadata;
      return policies
        .filter(({ spec }) => isMatch(labels, spec.podSelector.matchLabels))
        .flatMap(({ spec }) => spec[direction] ?? []);
    }

    it('fits the schemas of Kubernetes, without an unknown field', () => {
      expect(manifests.flatMap(problemsOf)).toEqual([]);
    });

    it('is all in one namespace, which admits restricted pods only', () => {
      const outside = manifests.filter(
        ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'paybell',
      );
      expect(outside).toEqual([]);
      expect(ofKind(manifests, 'Namespace')[0]?.metadata).toMatchObject({
        name: 'paybell',
        labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
      });
    });

    it('has one Deployment and one disruption budget for each role', () => {
      expect(deployments.map(({ metadata }) => metadata.name).toSorted()).toEqual(
        DEPLOYED.map((role) => `paybell-${role}`).toSorted(),
      );
      for (const role of DEPLOYED) {
        const { spec } = select(manifests, 'Deployment', role);
        const { labels } = spec.template.metadata;
        const budget = select(manifests, 'PodDisruptionBudget', role);
        expect(labels).toMatchObject(spec.selector.matchLabels);
        expect(budget.spec.selector.matchLabels).toEqual(spec.selector.matchLabels);
        expect(budget.spec.maxUnavailable).toBe(1);
      }
    });

    it.each(DEPLOYED)('gives %s only variables that Paybell reads, with which it starts', (role) => {
      const deployment = select(manifests, 'Deployment', role);
      const environment = environmentOf(manifests, deployment, SECRETS);
      const names = [
        ...Object.keys(environment),
        ...containerOf(deployment).env.map(({ name }) => name),
      ].filter((name) => !NOT_SETTINGS.has(name));
      expect(names.filter((name) => !configVariables().has(name))).toEqual([]);
      const config = configOf(environment);
      expect([...config.roles]).toEqual(role === 'api' ? ['api', 'public'] : [role]);
      expect(config.host).toBe('0.0.0.0');
      expect(config.rabbitmqUrls).not.toBeNull();
    });

    it('has no secret in it: each comes from a Secret', () => {
      const secret = /URL$|KEYS?$|KEY_PREVIOUS$/;
      const plain = manifests.flatMap(({ data = {} }) => Object.keys(data));
      const given = deployments.flatMap((each) =>
        containerOf(each).env.flatMap(({ name, value }) => (value === undefined ? [] : [name])),
      );
      const isSecret = (name: string): boolean => secret.test(name) && name !== 'PROVIDER_BASE_URL';
      expect([...plain, ...given].filter(isSecret)).toEqual([]);
      expect(ofKind(manifests, 'Secret')).toEqual([]);
    });

    it('gives all roles the same settings but ROLES', () => {
      const [first, ...others] = deployments.map((each) => ({
        ...environmentOf(manifests, each, SECRETS),
        ROLES: null,
      }));
      for (const other of others) expect(other).toEqual(first);
    });

    it('asks for health where the process answers it', () => {
      const paths = ['live', 'ready'].map((name) => {
        const { [name]: method } = HealthController.prototype as unknown as Record<string, object>;
        return `/${Reflect.getMetadata(PATH_METADATA, HealthController)}/${Reflect.getMetadata(PATH_METADATA, method as object)}`;
      });
      expect(paths).toEqual(['/health/live', '/health/ready']);
      for (const deployment of deployments) {
        const { startupProbe, livenessProbe, readinessProbe, ports } = containerOf(deployment);
        const probes = [startupProbe, livenessProbe, readinessProbe];
        expect(probes.map(({ httpGet }) => httpGet.path)).toEqual([paths[0], ...paths]);
        expect(probes.every(({ httpGet }) => ports.some(({ name }) => name === httpGet.port))).toBe(true);
        const { port } = configOf(environmentOf(manifests, deployment, SECRETS));
        expect(ports.map(({ containerPort }) => containerPort)).toEqual([port]);
      }
    });

    it('leaves each pod its time to stop', () => {
      for (const deployment of deployments) {
        const [, seconds = '0'] = containerOf(deployment).lifecycle?.preStop.exec.command ?? [];
        const { terminationGracePeriodSeconds: grace } = deployment.spec.template.spec;
        expect(grace * 1_000).toBeGreaterThanOrEqual(Number(seconds) * 1_000 + 2 * GIVE_UP_AFTER_MS);
      }
      // A role that gets requests from a Service waits until the Service has forgotten the pod; no other role waits.
      const waiting = deployments.filter((each) => containerOf(each).lifecycle !== undefined);
      expect(waiting.map(({ metadata }) => metadata.name)).toEqual(['paybell-api']);
    });

    it('runs what the image runs, as a user without rights, on a tree that it may not change', () => {
      const dockerfile = readFileSync(`${KUBERNETES}../../Dockerfile`, 'utf8');
      const line = (name: string): string[] =>
        JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '[]') as string[];
      const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? [];
      for (const deployment of deployments) {
        const { command, args, workingDir, securityContext, image } = containerOf(deployment);
        expect({ command, args }).toEqual({ command: line('ENTRYPOINT'), args: line('CMD') });
        expect(dockerfile).toContain(`\nWORKDIR ${workingDir}\n`);
        expect(image).toMatch(new RegExp(`/paybell:${VERSION.replaceAll('.', '\\.')}(?:@sha256:\\w{64})?$`));
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(deployment.spec.template.spec).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: Number(uid),
            runAsGroup: Number(gid),
            seccompProfile: { type: 'RuntimeDefault' },
          },
        });
      }
    });

    it('allows nothing that no policy names', () => {
      const denied = policies.find(({ metadata }) => metadata.name === 'paybell-deny');
      expect(denied?.spec).toEqual({
        podSelector: { matchLabels: { 'app.kubernetes.io/name': 'paybell' } },
        policyTypes: ['Ingress', 'Egress'],
      });
      // A rule without peers or without ports would allow all of them.
      const rules = policies.flatMap(({ spec }) => [...(spec.ingress ?? []), ...(spec.egress ?? [])]);
      for (const { from, to, ports } of rules) {
        expect((from ?? to ?? []).length).toBeGreaterThan(0);
        expect(ports.length).toBeGreaterThan(0);
      }
    });

    it('allows the ports that each role uses, and no other', () => {
      const portsOf = (role: string, direction: 'ingress' | 'egress'): number[] => {
        const all = rulesFor(role, direction).flatMap(({ ports }) => ports.map(({ port }) => port));
        return [...new Set(all)].toSorted((a, b) => a - b);
      };
      for (const role of DEPLOYED) {
        const { port } = configOf(environmentOf(manifests, select(manifests, 'Deployment', role), SECRETS));
        expect(portsOf(role, 'ingress')).toEqual([port]);
        const broker = role === 'dispatcher' ? [RABBITMQ_PORT] : [];
        expect(portsOf(role, 'egress')).toEqual([53, 443, POSTGRES_PORT, ...broker]);
      }
      expect(new URL(SECRETS['DATABASE_URL'] ?? '').port).toBe(String(POSTGRES_PORT));
      expect(new URL(SECRETS['RABBITMQ_URL'] ?? '').port).toBe(String(RABBITMQ_PORT));
    });

    it('lets only the api be reached by clients, and by the Service', () => {
      const client = { namespaceSelector: { matchLabels: { 'paybell-client': 'true' } } };
      const isReached = (role: string): boolean =>
        rulesFor(role, 'ingress').some(({ from }) => JSON.stringify(from) === JSON.stringify([client]));
      expect(DEPLOYED.filter(isReached)).toEqual(['api']);
      const [service] = ofKind(manifests, 'Service');
      const chosen = deployments.filter(({ spec }) =>
        isMatch(spec.template.metadata.labels, service?.spec.selector ?? { none: '' }),
      );
      expect(chosen.map(({ metadata }) => metadata.name)).toEqual(['paybell-api']);
      expect(service?.spec.ports.map(({ targetPort }) => targetPort)).toEqual(['http']);
    });

    it('leads out to no address that Paybell refuses webhooks to', () => {
      const blocks = rulesFor('dispatcher', 'egress').flatMap(({ to = [] }) =>
        to.flatMap(({ ipBlock }) => ipBlock ?? []),
      );
      expect(blocks.map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0', GLOBAL_IPV6]);
      const refused = REFUSED_RANGES.flatMap(({ cidrs }) => cidrs);
      for (const { cidr, except } of blocks) {
        expect(except.filter((range) => !refused.includes(range))).toEqual([]);
        const inside = refused.filter((range) => isWithin(range, cidr));
        expect(inside.filter((range) => !except.some((left) => isWithin(range, left)))).toEqual([]);
      }
    });

    it('reaches the database and the broker of the examples', () => {
      const [postgres] = example('cloudnative-pg.yaml');
      const [rabbitmq] = example('rabbitmq-cluster.yaml');
      const peers = rulesFor('dispatcher', 'egress').flatMap(({ to = [] }) =>
        to.map(({ podSelector }) => podSelector?.matchLabels),
      );
      // The operators give their pods these labels, and their Secrets these names.
      expect(peers).toContainEqual({ 'cnpg.io/cluster': postgres?.metadata.name });
      expect(peers).toContainEqual({ 'app.kubernetes.io/name': rabbitmq?.metadata.name });
      const secrets = deployments.flatMap((each) =>
        containerOf(each).env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []),
      );
      expect([...new Set(secrets)].toSorted()).toEqual([
        'paybell',
        `${postgres?.metadata.name}-app`,
        `${rabbitmq?.metadata.name}-default-user`,
      ]);
    });
  });

  describe('rendered for high-availability', () => {
    const manifests = kubectl === '' ? [] : render(kubectl, 'high-availability');

    it('never has more connections than the PostgreSQL of the example takes', () => {
      const scalers = ofKind(manifests, 'HorizontalPodAutoscaler');
      const most = scalers.reduce((sum, { spec }) => sum + spec.maxReplicas, 2);
      // During an update each Deployment has one pod more.
      const pods = most + DEPLOYED.length;
      const [postgres] = example('cloudnative-pg.yaml') as Postgres[];
      const connections = Number(postgres?.spec.postgresql.parameters['max_connections']);
      expect(pods * (configOf({}).databasePoolSize + 1)).toBeLessThan(connections - 10);
    });
  });
});

function isWithin(range: string, other: string): boolean {
  const [[address, bits], [net, prefix]] = [ipaddr.parseCIDR(range), ipaddr.parseCIDR(other)];
  if (address.kind() !== net.kind() || bits < prefix) return false;
  return address.match([net, prefix] as never);
}
