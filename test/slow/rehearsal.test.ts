import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { freePort } from '../../tools/testkit/free-port.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { brokerUrl } from '../support/broker.ts';
import { BrokerQueues } from '../support/broker-queues.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { NPX, ROOT, snippet } from '../support/doc-snippet.ts';
import { containerOf, environmentOf, ofKind, render } from '../support/kubernetes.ts';
import { describeWith } from '../support/describe-with.ts';
import { Terminal } from '../support/terminal.ts';

const PAGE = 'deploy/kubernetes/README.md';
const RUNBOOKS = 'docs/running/alerts.md';
const REPLICAS = 6;
const FIRES_WITHIN_MS = 90_000;
/** Replaces programs that create a role, a database and a virtual host; the test has its own. */
const NOTE_CALL = '#!/bin/sh\necho "called: $(basename "$0") $*"\n';
const READY = /^(\S+) at http:\/\/127\.0\.0\.1:(\d+) is ready: process (\d+), log (\S+)\.$/gm;

interface Alert {
  readonly labels: { readonly alertname: string };
  readonly annotations: { readonly runbook_url: string };
  readonly state: string;
}

describeWith(['kubectl', 'root', 'tini', 'prometheus'], 'a person who has only these pages', (kubectl) => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-rehearsal-'));
  let terminal: Terminal;
  let database: TestDatabase;
  let queues: BrokerQueues;
  let exchange: string;
  let ports: { replicas: number; prometheus: number };

  beforeAll(async () => {
    database = await createEmptyDatabase();
    queues = await BrokerQueues.open(brokerUrl());
    exchange = queues.name('rehearsal');
    ports = { replicas: await firstFreePort(REPLICAS), prometheus: await freePort() };
    for (const name of ['deploy', 'dist']) symlinkSync(join(ROOT, name), join(folder, name));
    for (const [name, text] of Object.entries({ npx: NPX, runuser: NOTE_CALL, rabbitmqctl: NOTE_CALL }))
      writeFileSync(join(folder, name), text, { mode: 0o755 });
    const PATH = `${folder}:${process.env['PATH']}`;
    terminal = new Terminal(folder, { PATH, HOME: folder });
  });

  afterAll(async () => {
    await terminal.close();
    await queues.channel.deleteExchange(exchange);
    await database.drop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  /** A block of the page, or of the runbooks, with the ports and names of this test. */
  async function paste(name: string, place = PAGE): Promise<string> {
    const code = (await snippet(place, name, 'sh'))
      .replaceAll(/\b9099\b/g, String(ports.prometheus))
      .replace('FIRST_PORT=3000', `FIRST_PORT=${ports.replicas}`)
      .replace('paybell.events', `${exchange}, RABBITMQ_EXCHANGE=${exchange}`);
    return terminal.paste(code);
  }

  async function firing(name: string): Promise<Alert> {
    const alert = async (): Promise<Alert | undefined> => {
      const answer = await fetch(`http://127.0.0.1:${ports.prometheus}/api/v1/alerts`);
      const { data } = (await answer.json()) as { data: { alerts: Alert[] } };
      return data.alerts.find(({ labels, state }) => labels.alertname === name && state === 'firing');
    };
    return waitFor(async () => (await alert()) ?? null, { timeoutMs: FIRES_WITHIN_MS, what: name });
  }

  /** The replicas that rehearse.js has named. */
  function replicas(): { name: string; port: number; pid: number }[] {
    return [...terminal.output.matchAll(READY)].map(([, name = '', port, pid]) => ({
      name,
      port: Number(port),
      pid: Number(pid),
    }));
  }

  it('is told what is missing', async () => {
    const start = 'node deploy/kubernetes/rehearse.js';
    expect(await terminal.paste(start)).toContain('name a folder with a kustomization.yaml');
    const missing = await terminal.paste(`${start} deploy/kubernetes/overlays/one-node`);
    expect(missing).toMatch(/^export DATABASE_URL: .* the Secret paybell-postgres-app$/m);
  });

  it('starts two replicas of each role as the manifests have them', async () => {
    expect(await paste('prepare the rehearsal')).toContain('called: rabbitmqctl add_vhost');
    await terminal.paste(`export DATABASE_URL='${database.url}' RABBITMQ_URL='${brokerUrl()}'`);
    await paste('rehearse the manifests');
    await terminal.whenPrinted(`All ${REPLICAS} replicas are ready`);
    expect(await terminal.paste('npx paybell doctor')).toContain('Nothing is wrong.');

    const [API_KEYS = '', ENCRYPTION_KEY = ''] = (
      await terminal.paste('echo "$API_KEYS"; echo "$ENCRYPTION_KEY"')
    ).split('\n');
    const secrets = { DATABASE_URL: database.url, RABBITMQ_URL: brokerUrl(), API_KEYS, ENCRYPTION_KEY };
    const manifests = render(kubectl, 'high-availability');
    const deployments = ofKind(manifests, 'Deployment');
    const names = deployments.flatMap(({ metadata }) => [metadata.name, metadata.name]);
    expect(
      replicas()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(names.toSorted());
    for (const deployment of deployments)
      for (const { port, pid } of replicas().filter(({ name }) => name === deployment.metadata.name)) {
        const { command, args } = containerOf(deployment);
        const { runAsUser, runAsGroup } = deployment.spec.template.spec.securityContext;
        expect(proc(pid, 'cmdline')).toEqual([...command, ...args]);
        const [child = ''] = proc(pid, `task/${pid}/children`);
        for (const each of [pid, Number(child)])
          expect(rightsOf(each)).toEqual({
            Uid: Array(4).fill(String(runAsUser)),
            Gid: Array(4).fill(String(runAsGroup)),
            CapBnd: ['0000000000000000'],
            NoNewPrivs: ['1'],
          });
        expect(writableMounts(pid)).toEqual([]);
        const told = environmentOf(manifests, deployment, secrets);
        const environment = Object.fromEntries(proc(pid, 'environ').map(pairOf)) as object;
        const here = { PROVIDER: 'sandbox', HOST: '127.0.0.1', PORT: String(port), HOME: '/' };
        expect(environment).toMatchObject({ ...told, ...here });
        expect(environment).not.toHaveProperty('PAYBELL_API_KEY');
      }
  });

  it('sees an alert fire, and finds the cause by its runbook and the command line', async () => {
    expect(await paste('watch the rehearsal')).toContain('rules found');
    expect(await paste('make an endpoint fail')).toContain('alertname="PaybellEndpointCircuit"');
    const { annotations } = await firing('PaybellEndpointCircuit');

    const seen = await paste('look after an alert', RUNBOOKS);
    expect(seen).toMatch(/^wrong +attention endpoints_failing .*http:\/\/127\.0\.0\.1:9\/hook/m);
    const [, id] = /^([\da-f-]{36}) +http:\/\/127\.0\.0\.1:9\/hook +open /m.exec(seen) ?? [];
    await terminal.paste(`export ENDPOINT_ID=${id}`);
    const [block = ''] = blocksAt(annotations.runbook_url);
    const cause = await paste(block, RUNBOOKS);
    expect(cause).toMatch(/^delivered +no$/m);
    expect(cause).toMatch(/^failure +refuses connections \(ECONNREFUSED\)$/m);
    expect(cause).toMatch(/ pending +1 payment\.created .* circuit$/m);
  }, 150_000);

  it('learns that the trackers are gone', async () => {
    const trackers = replicas().filter(({ name }) => name === 'paybell-tracker');
    await terminal.paste(`kill ${trackers.map(({ pid }) => pid).join(' ')}`);
    await firing('PaybellReplicaDown');
    // Prometheus misses the stopped replicas at its next scrape; the other replicas notice after some silence.
    await waitFor(
      async () =>
        /^wrong +attention roles_missing .*tracker/m.test(await terminal.paste('npx paybell doctor')),
      { timeoutMs: 60_000, everyMs: 1_000, what: 'doctor to miss the role tracker' },
    );
    expect(terminal.output.match(/has ended, and is not started again/g)).toHaveLength(2);
  });

  it('ends all', async () => {
    await paste('end the rehearsal');
    const answers = replicas().map(({ port }) => fetch(`http://127.0.0.1:${port}/health/live`));
    for (const { status } of await Promise.allSettled(answers)) expect(status).toBe('rejected');
  });
});

/** The names of the blocks in that part of the page to which an alert links. */
function blocksAt(runbookUrl: string): string[] {
  const [file = '', anchor] = runbookUrl.split('#');
  const parts = readFileSync(join(ROOT, file), 'utf8').split(/^#+ /m);
  const part = parts.find((text) => text.split('\n')[0]?.toLowerCase() === anchor) ?? '';
  return [...part.matchAll(/<!-- snippet: (.+) -->/g)].map(([, name = '']) => name);
}

/** The parts of a file that the kernel shows about a process. */
function proc(pid: number, file: string): string[] {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8').trim().split(/[\0 ]/).filter(Boolean);
}

function rightsOf(pid: number): Record<string, string[]> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8')
    .split('\n')
    .map((line) => line.split(/:?\s+/));
  const wanted = lines.filter(([name = '']) => ['Uid', 'Gid', 'CapBnd', 'NoNewPrivs'].includes(name));
  return Object.fromEntries(wanted.map(([name, ...words]) => [name, words])) as Record<string, string[]>;
}

/** File systems that the process may write to, except those of the kernel. */
function writableMounts(pid: number): string[] {
  const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  return mounts.flatMap(([, , , , place = '', options = '']) =>
    options.split(',').includes('rw') && !/^\/(?:proc|sys|dev)(?:\/|$)/.test(place) ? [place] : [],
  );
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Finds this many free ports in a row; returns the first. */
async function firstFreePort(count: number): Promise<number> {
  for (;;) {
    const first = await freePort();
    const others = Array.from({ length: count - 1 }, (_, index) => first + 1 + index);
    const answers = await Promise.allSettled(others.map((port) => fetch(`http://127.0.0.1:${port}`)));
    if (answers.every(({ status }) => status === 'rejected')) return first;
  }
}
