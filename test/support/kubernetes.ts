import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Ajv } from 'ajv';
import { parseAllDocuments } from 'yaml';

export const KUBERNETES = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));
const SCHEMAS = new URL('schemas/kubernetes-1.33.json', import.meta.url);
export const OVERLAYS = ['one-node', 'high-availability'] as const;
export type Overlay = (typeof OVERLAYS)[number];

type Labels = Readonly<Record<string, string>>;

export interface EnvEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { name: string; key: string; optional?: boolean } };
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly timeoutSeconds: number;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly EnvEntry[];
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly resources: { readonly requests: { cpu: string; memory: string }; readonly limits: object };
  readonly securityContext: Readonly<Record<string, unknown>>;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
  readonly terminationGracePeriodSeconds: number;
  readonly topologySpreadConstraints: readonly {
    readonly topologyKey: string;
    readonly whenUnsatisfiable: string;
  }[];
}

/** A rendered object; each test declares the parts of its `spec` that it reads. */
export interface Manifest<Spec = Readonly<Record<string, unknown>>> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly spec: Spec;
  readonly data?: Labels;
}

export type Deployment = Manifest<{
  readonly replicas?: number;
  readonly selector: { readonly matchLabels: Labels };
  readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
}>;

export interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports: readonly { readonly port: number; readonly protocol?: string }[];
}

interface Peer {
  readonly podSelector?: { readonly matchLabels: Labels };
  readonly namespaceSelector?: { readonly matchLabels: Labels };
  readonly ipBlock?: { readonly cidr: string; readonly except: readonly string[] };
}

/** The kinds of deploy/kubernetes/base, with the parts that tests read. */
export interface Kinds {
  readonly Namespace: Manifest;
  readonly ServiceAccount: Manifest;
  readonly ConfigMap: Manifest;
  readonly Secret: Manifest;
  readonly Service: Manifest<{
    readonly selector: Labels;
    readonly ports: readonly { readonly targetPort: string }[];
  }>;
  readonly Deployment: Deployment;
  readonly PodDisruptionBudget: Manifest<{
    readonly maxUnavailable: number;
    readonly selector: { readonly matchLabels: Labels };
  }>;
  readonly HorizontalPodAutoscaler: Manifest<{
    readonly scaleTargetRef: { readonly name: string };
    readonly minReplicas: number;
    readonly maxReplicas: number;
  }>;
  readonly NetworkPolicy: Manifest<{
    readonly podSelector: { readonly matchLabels: Labels };
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  }>;
}
export type Kind = keyof Kinds;

export function render(kubectl: string, overlay: Overlay): Manifest[] {
  return documentsOf(
    execFileSync(kubectl, ['kustomize', `${KUBERNETES}overlays/${overlay}`], { encoding: 'utf8' }),
  );
}

export function documentsOf(yaml: string): Manifest[] {
  return parseAllDocuments(yaml).map((document) => document.toJS() as Manifest);
}

export function ofKind<K extends Kind>(manifests: readonly Manifest[], kind: K): Kinds[K][] {
  return manifests.filter((each) => each.kind === kind) as Kinds[K][];
}

export function isMatch(labels: Labels, selector: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

/** The only container of a Deployment. */
export function containerOf({ metadata, spec }: Deployment): Container {
  const [container, ...others] = spec.template.spec.containers;
  if (container === undefined || others.length > 0) throw new Error(`${metadata.name}: not one container`);
  return container;
}

/** The environment of a container, with a test's secrets in place of the cluster's. */
export function environmentOf(
  manifests: readonly Manifest[],
  deployment: Deployment,
  secrets: Labels,
): Record<string, string> {
  const { env, envFrom } = containerOf(deployment);
  const shared = envFrom.map(({ configMapRef }) => {
    const found = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === configMapRef.name);
    return found?.data ?? {};
  });
  const own = env.flatMap(({ name, value, valueFrom }) => {
    if (value !== undefined) return [[name, value]];
    return valueFrom?.secretKeyRef?.optional === true ? [] : [[name, secrets[name]]];
  });
  return { ...Object.assign({}, ...shared), ...Object.fromEntries(own) } as Record<string, string>;
}

// A kind has only one or two manifests: compiling an optimised check would take longer than the check saves.
const ajv = new Ajv({ strict: false, allErrors: true, code: { optimize: false } });
ajv.addSchema(JSON.parse(readFileSync(SCHEMAS, 'utf8')) as object, 'kubernetes');

/** The violations of a manifest against the schema of its kind; an unknown field is an error, as for `kubectl apply`. */
export function problemsOf(manifest: Manifest): string[] {
  const { apiVersion, kind, metadata } = manifest;
  const place = encodeURIComponent(`${apiVersion}/${kind}`.replaceAll('/', '~1'));
  const validate = ajv.getSchema(`kubernetes#/properties/${place}`);
  if (validate === undefined) return [`${apiVersion} ${kind} has no schema in test/support/schemas`];
  if (validate(manifest)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${kind} ${metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
