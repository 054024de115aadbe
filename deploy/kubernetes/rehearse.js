#!/usr/bin/env node
/**
 * Runs the Deployments of manifests as plain processes of this machine, until Ctrl-C: README.md, "Rehearse without a
 * cluster". Command, arguments, environment, user, rights and the read-only tree are the rendered manifests'. Their Secrets are
 * variables of this shell; in place of the image there is this checkout. Logs and the addresses go into the folder.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_WITHIN_MS = 120_000;
const ASK_EVERY_MS = 500;
const LOG_LINES = 10;

/** Makes each file system of a mount namespace of its own read-only, but for those of the kernel, and becomes the command. */
const READ_ONLY = `
set -eu
findmnt --noheadings --list --output TARGET | while read -r place; do
  case "$place" in
    /proc | /proc/* | /sys | /sys/* | /dev | /dev/*) ;;
    *) mount -o remount,bind,ro "$place" ;;
  esac
done
exec "$@"`;

const folder = process.argv[2] ?? '';
const replicas = [];
const ending = new AbortController();

try {
  checkMachine();
  const manifests = rendered(folder);
  let port = Number(process.env.FIRST_PORT ?? 3000);
  for (const deployment of manifests.filter(({ kind }) => kind === 'Deployment'))
    for (let count = countOf(manifests, deployment); count > 0; count--, port++)
      replicas.push({ deployment, port, environment: environmentOf(manifests, deployment, port) });
  for (const { deployment } of replicas) checkUser(deployment);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void endAll());
  for (const replica of replicas) start(replica);
  const targets = replicas.map((replica) => `127.0.0.1:${replica.port}`);
  writeFileSync(join(folder, 'targets.json'), JSON.stringify([{ targets }]));
  await Promise.all(replicas.map(whenReady));
  if (!ending.signal.aborted)
    process.stdout.write(`All ${replicas.length} replicas are ready. Ctrl-C or SIGTERM ends them.\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
  await endAll();
}

/** Throws with all that is missing. */
function checkMachine() {
  const missing = [
    [folder !== '', 'name a folder with a kustomization.yaml: node deploy/kubernetes/rehearse.js FOLDER'],
    [
      process.getuid?.() === 0,
      'be root: only root may start a process as another user and on a read-only tree',
    ],
    ...['kubectl', 'tini', 'unshare', 'setpriv', 'findmnt'].map((program) => [
      spawnSync('which', [program]).status === 0,
      `install ${program}`,
    ]),
  ].flatMap(([isThere, what]) => (isThere ? [] : [what]));
  if (missing.length > 0) throw new Error(`To rehearse the manifests,\n- ${missing.join('\n- ')}`);
}

/** The objects of a Kustomize folder; kubectl makes JSON of them without a cluster. */
function rendered(folder) {
  const yaml = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8', stdio: 'pipe' });
  const toJson = ['label', '--local', '--filename', '-', '--output', 'jsonpath={@}{"\\n"}', 'rehearsal=yes'];
  const lines = execFileSync('kubectl', toJson, { input: yaml, encoding: 'utf8', stdio: 'pipe' });
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** As many as the Deployment says, or else as its autoscaler starts with. */
function countOf(manifests, { metadata, spec }) {
  const scaler = manifests.find(
    ({ kind, spec: { scaleTargetRef } = {} }) =>
      kind === 'HorizontalPodAutoscaler' && scaleTargetRef.name === metadata.name,
  );
  return spec.replicas ?? scaler?.spec.minReplicas ?? 1;
}

/** What a pod would have, nothing else of this shell, and an address of this machine. */
function environmentOf(manifests, deployment, port) {
  const { env = [], envFrom = [] } = containerOf(deployment);
  const settings = envFrom.map(
    ({ configMapRef }) =>
      manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name)
        ?.data,
  );
  const own = env.flatMap(({ name, value, valueFrom }) => {
    const { secretKeyRef: secret } = valueFrom ?? {};
    const given = value ?? process.env[name];
    if (given === undefined && secret?.optional !== true)
      throw new Error(
        `export ${name}: the pods have it from the key ${secret?.key} of the Secret ${secret?.name}`,
      );
    return given === undefined ? [] : [[name, given]];
  });
  const inImage = { PATH: process.env.PATH, HOME: '/' };
  return {
    ...inImage,
    ...Object.assign({}, ...settings),
    ...Object.fromEntries(own),
    HOST: '127.0.0.1',
    PORT: `${port}`,
  };
}

function containerOf({ spec }) {
  return spec.template.spec.containers[0];
}

/** Throws where the container's user cannot run the service of this checkout. */
function checkUser(deployment) {
  const check = [...becomingUserOf(deployment), 'node', '--check', 'dist/main.js'];
  const { status, stderr } = spawnSync(check[0], check.slice(1), { cwd: ROOT, encoding: 'utf8' });
  if (status === 0) return;
  const { runAsUser } = deployment.spec.template.spec.securityContext;
  throw new Error(
    `${stderr}The user ${runAsUser} must be able to run node and to read ${ROOT}dist/main.js, which npm run build makes`,
  );
}

function becomingUserOf({ spec }) {
  const { runAsUser, runAsGroup } = spec.template.spec.securityContext;
  const { capabilities, allowPrivilegeEscalation } = containerOf({ spec }).securityContext;
  const become = ['setpriv', `--reuid=${runAsUser}`, `--regid=${runAsGroup}`, '--clear-groups'];
  if (capabilities?.drop?.includes('ALL')) become.push('--bounding-set=-all', '--inh-caps=-all');
  if (allowPrivilegeEscalation === false) become.push('--no-new-privs');
  return become;
}

function start(replica) {
  const { deployment, environment, port } = replica;
  const { command, args, securityContext } = containerOf(deployment);
  const tree = securityContext.readOnlyRootFilesystem ? ['bash', '-c', READ_ONLY, 'read-only'] : [];
  // Its first process is number 1, and all of them end with it, as in a container.
  const apart = [
    '--pdeathsig=KILL',
    'unshare',
    '--mount',
    '--propagation=private',
    '--pid',
    '--kill-child',
    '--mount-proc',
  ];
  replica.log = join(folder, `${deployment.metadata.name}-${port}.log`);
  const log = openSync(replica.log, 'w');
  replica.child = spawn('setpriv', [...apart, ...tree, ...becomingUserOf(deployment), ...command, ...args], {
    cwd: ROOT,
    env: environment,
    stdio: ['ignore', log, log],
  });
  replica.ended = new Promise((resolve) => replica.child.once('close', resolve));
  void replica.ended.then(() => {
    if (!ending.signal.aborted)
      say(replica, 'has ended, and is not started again as a Deployment would do it');
  });
}

function say({ deployment, port }, what) {
  process.stdout.write(`${deployment.metadata.name} at http://127.0.0.1:${port} ${what}.\n`);
}

/** Until its readiness probe is answered; throws with the end of its log if it ends. */
async function whenReady(replica) {
  const { deployment, port, child, log } = replica;
  const { path } = containerOf(deployment).readinessProbe.httpGet;
  for (const until = Date.now() + READY_WITHIN_MS; !ending.signal.aborted; await sleep(ASK_EVERY_MS)) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
    await answer?.body?.cancel();
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (answer?.ok && !hasEnded)
      return say(replica, `is ready: process ${firstProcessOf(replica)}, log ${log}`);
    if (!hasEnded && Date.now() < until) continue;
    const lines = readFileSync(log, 'utf8').trim().split('\n').slice(-LOG_LINES);
    throw new Error(
      `${deployment.metadata.name} at port ${port} is not ready. ${log} ends with:\n${lines.join('\n')}`,
    );
  }
}

/** The container's process number 1, by its number on this machine; null before it is there and after its end. */
function firstProcessOf({ child }) {
  try {
    return Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')) || null;
  } catch {
    return null;
  }
}

/** SIGTERM, and SIGKILL once the pod's time is over. */
async function endAll() {
  ending.abort();
  const running = replicas.filter(({ child }) => child?.exitCode === null && child.signalCode === null);
  await Promise.all(
    running.map(async (replica) => {
      const first = firstProcessOf(replica);
      if (first === null) replica.child.kill('SIGKILL');
      else process.kill(first, 'SIGTERM');
      const { terminationGracePeriodSeconds } = replica.deployment.spec.template.spec;
      const late = setTimeout(() => replica.child.kill('SIGKILL'), terminationGracePeriodSeconds * 1_000);
      await replica.ended;
      clearTimeout(late);
    }),
  );
}
