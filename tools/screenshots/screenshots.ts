import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';

import { chromium, type Browser, type Page } from 'playwright-core';

import { CHROMIUM, CHROMIUM_ARGS } from '../testkit/chromium.ts';
import { Cleanup } from '../testkit/cleanup.ts';
import type { PaybellProcess } from '../testkit/paybell-process.ts';
import { versionIn, withVersion } from './picture-version.ts';
import { LATE_ORDER, ShownPaybell } from './shown-paybell.ts';
import { startProviders } from './shown-providers.ts';

/** Relative to the project, where npm runs scripts. */
const FOLDER = 'docs/images';
const VIEWPORT = { width: 1_280, height: 800 };
/** Charts are drawn after their figures, which are read once a minute. */
const SETTLED_MS = 1_500;
const FIGURES_MS = 65_000;

const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
if (process.argv.includes('--check')) process.exitCode = (await areOfThisVersion()) ? 0 : 1;
else await takeAll();

/** Whether each picture shows the release that package.json names; prints the others. */
async function areOfThisVersion(): Promise<boolean> {
  let areAll = true;
  for (const file of (await readdir(FOLDER)).filter((name) => name.endsWith('.png'))) {
    const shown = versionIn(await readFile(`${FOLDER}/${file}`));
    if (shown === version) continue;
    areAll = false;
    console.error(
      `${FOLDER}/${file} shows ${shown ?? 'no release'}, and this is ${version}: npm run screenshots`,
    );
  }
  return areAll;
}

async function takeAll(): Promise<void> {
  if (CHROMIUM === null)
    throw new Error('Chromium is not installed: apt-get install chromium, or CHROMIUM=/path');
  const cleanup = new Cleanup();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void cleanup.run().then(() => process.exit(1)));
  try {
    await mkdir(FOLDER, { recursive: true });
    const shown = await ShownPaybell.start(cleanup);
    const providers = await startProviders(cleanup);
    console.log('Payments of the sandbox and of four providers are played: about a minute and a half');
    const waited = new Promise((resolve) => setTimeout(resolve, FIGURES_MS));
    await shown.whenPlayed();
    await waited;
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS });
    cleanup.add(() => browser.close());
    await takePictures(browser, shown.paybell, await pathsOf(shown));
    await takePictures(browser, providers, { provider: '/provider' });
  } finally {
    for (const problem of await cleanup.run()) console.error(problem);
  }
}

async function takePictures(
  browser: Browser,
  paybell: PaybellProcess,
  paths: Readonly<Record<string, string>>,
): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: VIEWPORT, colorScheme, reducedMotion: 'reduce' });
    await signIn(page, paybell);
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${paybell.url}/dashboard${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(SETTLED_MS);
      const file = `${FOLDER}/${name}-${colorScheme}.png`;
      await writeFile(file, withVersion(await page.screenshot(), version));
      console.log(file);
    }
  }
}

async function pathsOf(shown: ShownPaybell): Promise<Record<string, string>> {
  const [late] = (await shown.list(`/api/payments?orderId=${LATE_ORDER}`)).data;
  const endpoints = await shown.list('/api/webhook-endpoints');
  const down = endpoints.data.find(({ description }) => description === 'shop-us');
  return {
    attention: '',
    payments: '/payments',
    payment: `/payments/${late?.quoteId}`,
    endpoint: `/endpoints/${down?.id}`,
  };
}

async function signIn(page: Page, paybell: PaybellProcess): Promise<void> {
  await page.goto(`${paybell.url}/dashboard/sign-in`);
  await page.getByLabel('API key').fill(paybell.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}
