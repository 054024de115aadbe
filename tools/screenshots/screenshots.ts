import { mkdir } from 'node:fs/promises';

import { chromium, type Page } from 'playwright-core';

import { CHROMIUM, CHROMIUM_ARGS } from '../testkit/chromium.ts';
import { Cleanup } from '../testkit/cleanup.ts';
import { LATE_ORDER, ShownPaybell } from './shown-paybell.ts';

/** Relative to the project, where npm runs scripts. */
const FOLDER = 'docs/images';
const VIEWPORT = { width: 1_280, height: 800 };
/** Charts are drawn after their figures, which come once a minute. */
const SETTLED_MS = 1_500;
const FIGURES_MS = 65_000;

if (CHROMIUM === null)
  throw new Error('Chromium is not installed: apt-get install chromium, or CHROMIUM=/path');
const cleanup = new Cleanup();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanup.run().then(() => process.exit(1)));
try {
  await mkdir(FOLDER, { recursive: true });
  const shown = await ShownPaybell.start(cleanup);
  console.log('28 payments of the sandbox are played: about a minute and a half');
  const waited = new Promise((resolve) => setTimeout(resolve, FIGURES_MS));
  await shown.whenPlayed();
  await waited;
  await takePictures(shown, CHROMIUM);
} finally {
  for (const problem of await cleanup.run()) console.error(problem);
}

async function takePictures(shown: ShownPaybell, executablePath: string): Promise<void> {
  const paths = await pathsOf(shown);
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
  cleanup.add(() => browser.close());
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: VIEWPORT, colorScheme, reducedMotion: 'reduce' });
    await signIn(page, shown);
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${shown.paybell.url}/dashboard${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(SETTLED_MS);
      await page.screenshot({ path: `${FOLDER}/${name}-${colorScheme}.png` });
      console.log(`${FOLDER}/${name}-${colorScheme}.png`);
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

async function signIn(page: Page, { paybell }: ShownPaybell): Promise<void> {
  await page.goto(`${paybell.url}/dashboard/sign-in`);
  await page.getByLabel('API key').fill(paybell.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}
