import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';

import { Rehearsal } from '../../tools/demo/rehearsal.ts';
import { type BuiltImage, ImageBuild } from '../../tools/image/build-image.ts';
import { giveVolumeTo, type Launch, launchOf } from '../../tools/image/launch.ts';
import { nodeBase } from '../../tools/image/node-base.ts';
import { roomyFolder } from '../../tools/image/roomy-folder.ts';
import { Cleanup } from '../../tools/testkit/cleanup.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { PaybellProcess } from '../../tools/testkit/paybell-process.ts';
import { API_KEY } from '../support/app-process.ts';
import { brokerUrl } from '../support/broker.ts';
import { ROOT } from '../support/doc-snippet.ts';
import { containerOf, type Deployment, environmentOf, ofKind, render } from '../support/kubernetes.ts';
import { describeWith } from '../support/describe-with.ts';
import { Stage } from '../support/stage.ts';

const BUILT_WITHIN_MS = 600_000;
const PLAYED_WITHIN_MS = 120_000;
/** No machine has a user of this number. */
const STRANGER = '54321:54321';
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

describeWith(['root', 'tini'], 'the image, built without an engine', () => {
  const started: PaybellProcess[] = [];
  let folder: string;
  let image: BuiltImage;

  beforeAll(async () => {
    folder = await roomyFolder();
    image = await ImageBuild.run({
      root: ROOT.replace(/\/$/, ''),
      folder,
      base: (name) => nodeBase(name, folder),
      say: () => undefined,
    });
  }, BUILT_WITHIN_MS);

  afterEach(async () => {
    await Promise.all(started.splice(0).map((paybell) => paybell.kill9()));
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function start({ command, env }: Launch, more: Record<string, string>): Promise<PaybellProcess> {
    const paybell = new PaybellProcess({
      port: await freePort(),
      apiKey: API_KEY,
      command,
      env: { ...env, ...more },
    });
    started.push(paybell);
    return paybell;
  }

  it(
    'plays the demo as its user, without rights, on a tree of which only /data can be written',
    async () => {
      const cleanup = new Cleanup();
      const signal = AbortSignal.timeout(PLAYED_WITHIN_MS);
      const rehearsal = new Rehearsal('paybell-image-test', cleanup, signal, launchOf(image));
      const failure = await rehearsal.play().then(
        () => null,
        (error: Error) => error,
      );
      expect(rehearsal.close(failure, await cleanup.run())).toBe(true);
    },
    PLAYED_WITHIN_MS + 30_000,
  );

  it('refuses to write anywhere but in /data', async () => {
    const touch = `for place in / /app /app/dist /tmp /etc; do touch "$place/new" 2>&1; done; touch /data/new && echo written`;
    const probe = await start(launchOf(image, { command: ['sh', '-c', touch] }), {});
    expect(await probe.whenEnded()).toBe(0);
    expect(probe.lines.filter((line) => line.includes('Read-only file system'))).toHaveLength(5);
    expect(probe.lines.at(-1)).toBe('written');
  });

  it('has nothing of the checkout but what the Dockerfile names', async () => {
    const list = await start(launchOf(image, { command: ['ls', '-A', '/app', '/app/dist'] }), {});
    expect(await list.whenEnded()).toBe(0);
    expect(list.lines.filter((line) => line !== '')).toEqual([
      '/app:',
      'LICENSE',
      'dist',
      'node_modules',
      'package.json',
      '/app/dist:',
      'bundle',
      'cli',
      'dashboard',
      'database',
      'main.js',
      'main.js.map',
    ]);
    const checkout = await start(launchOf(image, { command: ['ls', `${ROOT}/package.json`] }), {});
    expect(await checkout.whenEnded()).not.toBe(0);
  });

  it('says plainly that the embedded PostgreSQL needs a user with an entry in /etc/passwd', async () => {
    await giveVolumeTo(image, STRANGER);
    const paybell = await start(launchOf(image, { user: STRANGER }), { PROVIDER: 'sandbox' });
    expect(await paybell.whenEnded()).toBe(1);
    const said = paybell.lines.join('\n');
    expect(said).toContain('/etc/passwd');
    expect(said).toContain('DATABASE_URL');
  });

  describeWith('kubectl', 'started as the manifests say', (kubectl) => {
    it('two replicas of each role do their work together, as a user without an entry in /etc/passwd', async () => {
      const stage = await Stage.open({ isEmpty: true });
      const settings = stage.env({ RABBITMQ_URL: brokerUrl() });
      const secrets = { ...settings, API_KEYS: `test:${API_KEY}`, ENCRYPTION_KEY };
      const manifests = render(kubectl, 'high-availability');
      const replicas = await Promise.all(
        ofKind(manifests, 'Deployment').flatMap((deployment) =>
          [1, 2].map(async () => {
            const { command, args, workingDir } = containerOf(deployment);
            const launch = launchOf(image, {
              command: [...command, ...args],
              workdir: workingDir,
              user: STRANGER,
            });
            const environment = environmentOf(manifests, deployment, secrets);
            // The stub and the shop of this test are on this machine; pods have an address of their own to listen on.
            const paybell = await start(launch, { ...environment, ...settings, HOST: '127.0.0.1' });
            return { deployment, paybell };
          }),
        ),
      );
      await Promise.all(replicas.map(({ paybell }) => paybell.waitReady(60_000)));
      await Promise.all(replicas.map(({ deployment, paybell }) => answersProbes(deployment, paybell)));

      const api = replicas.find(({ deployment }) => deployment.metadata.name === 'paybell-api');
      if (api === undefined) throw new Error('no replica has the role api');
      await stage.addShop(api.paybell);
      const quoteId = await stage.quote(api.paybell);
      await stage.published(api.paybell, quoteId, ['created']);
      stage.say([quoteId], 'COMPLETED');
      await stage.published(api.paybell, quoteId, ['created', 'completed']);

      const words = ['paybell', 'payments', 'list'];
      const cli = await start(launchOf(image, { command: words, user: STRANGER, workdir: '/' }), {
        PAYBELL_URL: api.paybell.url,
        PAYBELL_API_KEY: API_KEY,
      });
      expect(await cli.whenEnded()).toBe(0);
      expect(cli.lines.join('\n')).toMatch(new RegExp(`^${quoteId} +.*COMPLETED`, 'm'));

      const endings = await Promise.all(
        replicas.map(({ deployment, paybell }) => stopInTime(deployment, paybell)),
      );
      expect(endings).toEqual(replicas.map(() => 0));
    }, 120_000);
  });
});

async function answersProbes(deployment: Deployment, paybell: PaybellProcess): Promise<void> {
  const { startupProbe, livenessProbe, readinessProbe } = containerOf(deployment);
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe])
    expect((await fetch(`${paybell.url}${httpGet.path}`)).status).toBe(200);
}

/** SIGTERM, and SIGKILL once the pod's time is over. */
async function stopInTime(deployment: Deployment, paybell: PaybellProcess): Promise<unknown> {
  const late = sleep(deployment.spec.template.spec.terminationGracePeriodSeconds * 1_000, 'killed', {
    ref: false,
  });
  return Promise.race([paybell.stop(), late]);
}
