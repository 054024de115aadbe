import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { describeWithChromium } from '../../support/dashboard/chromium.ts';
import {
  DashboardStage,
  describeTheWhole,
  ROLE_KEYS,
  watchOver,
} from '../../support/dashboard/dashboard-stage.ts';
import { rowOf } from '../../support/dashboard/page-parts.ts';
import { TcpProxy } from '../../../tools/testkit/tcp-proxy.ts';

/** The page asks again every four seconds. */
const RECOVERS_WITHIN_MS = 20_000;

let paybell: DashboardStage;
let database: TcpProxy;

describeWithChromium('where something fails, the dashboard', () => {
  let payment: string;

  watchOver(() => paybell);
  beforeAll(async () => {
    paybell = await DashboardStage.open({}, async (url) => {
      database = await TcpProxy.inFrontOf(url, 5432);
      return database.through(url);
    });
    await paybell.addEndpoint('shop');
    payment = await paybell.quote('A-1', '25.01');
    await paybell.whenAt(payment, 'FAILED');
  });
  afterAll(() => database.close());

  /** Types a key into the sign-in dialog. */
  async function signInAgain(page: Page): Promise<void> {
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('Nothing that you typed is lost.').waitFor();
    await dialog.getByLabel('API key').fill(ROLE_KEYS.admin);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
  }

  /** Ends the session, as an administrator can do elsewhere. */
  async function endSession(): Promise<void> {
    const sessions = await paybell.list<{ id: string; keyName: string }>('/api/sessions');
    for (const { id } of sessions.filter(({ keyName }) => keyName === 'test'))
      await paybell.app.fetch(`/api/sessions/${id}`, { method: 'DELETE' });
  }

  describe('whose session has ended', () => {
    it('asks for a key over the form, and then does what was asked: a new endpoint', async () => {
      const page = await paybell.visit('/endpoints');
      await page.getByRole('button', { name: 'Add an endpoint' }).click();
      await page.getByLabel('URL').fill(`${paybell.stage.shop.url}/second`);
      await page.getByLabel('Name').fill('second shop');
      await endSession();
      await page.getByRole('button', { name: 'Add the endpoint' }).click();
      await signInAgain(page);
      const secret = await page.getByText(/^whsec_/).innerText();
      paybell.secrets.keepShownOnce('the secret of an endpoint', secret);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('heading', { level: 1, name: 'second shop' }).waitFor();
      const named = await paybell.list<{ description: string }>('/api/webhook-endpoints');
      expect(named.filter(({ description }) => description === 'second shop').length).toBe(1);
    });
  });

  describe('whose database is away', () => {
    afterAll(() => database.heal());

    it('says so, keeps what it showed and what was typed, and recovers by itself', async () => {
      const page = await paybell.visit('/endpoints');
      await rowOf(page, 'second shop').waitFor();
      await page.getByRole('button', { name: 'Add an endpoint' }).click();
      await page.getByLabel('Name').fill('a third shop');
      await page.getByLabel('URL').fill(`${paybell.stage.shop.url}/third`);
      database.cut();
      await page.getByRole('button', { name: 'Add the endpoint' }).click();
      await page
        .getByRole('dialog')
        .getByRole('alert')
        .getByText(/its database does not answer/)
        .waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('a third shop');
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'System' }).click();
      await page
        .getByRole('status')
        .getByText(/^Paybell runs, but its database does not answer\./)
        .waitFor();
      await page.getByText('What you see is from').waitFor();
      const part = page.getByRole('listitem').filter({ has: page.getByText('Database', { exact: true }) });
      await part.getByText('unavailable', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Endpoints' }).click();
      await rowOf(page, 'second shop').waitFor();
      database.heal();
      await page
        .getByText('its database does not answer')
        .waitFor({ state: 'detached', timeout: RECOVERS_WITHIN_MS });
      expect(await rowOf(page, 'a third shop').count()).toBe(0);
    });
  });

  describe('whose replica is killed', () => {
    it('says that nothing answers, keeps what it showed and what was typed, and recovers by itself', async () => {
      const page = await paybell.visit(`/payments/${payment}`);
      await page.getByRole('button', { name: 'Resolve…' }).click();
      await page.getByLabel('Note').fill('while it is down');
      await paybell.app.kill9();
      await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
      await page.getByRole('dialog').getByRole('alert').getByText('Paybell does not answer.').waitFor();
      expect(await page.getByLabel('Note').inputValue()).toBe('while it is down');
      await page
        .getByRole('status')
        .getByText(/^Paybell does not answer\. What you see is from/)
        .waitFor({ state: 'attached' });
      await paybell.startAgain();
      await page
        .getByText('What you see is from')
        .waitFor({ state: 'detached', timeout: RECOVERS_WITHIN_MS });
      await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
      await page.getByText('Resolved by test: Refunded, “while it is down”', { exact: true }).waitFor();
    });
  });

  describe('whose connection breaks', () => {
    afterAll(() => paybell.dashboard.proxy.heal());

    it('says that it connects again, and follows the events once it has', async () => {
      const page = await paybell.visit('/live');
      const state = page.getByRole('main').getByText('Live', { exact: true }).nth(1);
      await state.waitFor();
      paybell.dashboard.proxy.cut();
      await page.getByText('Connecting again', { exact: true }).waitFor();
      paybell.dashboard.proxy.heal();
      await state.waitFor({ timeout: RECOVERS_WITHIN_MS });
      await paybell.quote('A-AFTER', '25.05');
      await page.getByRole('link', { name: 'A-AFTER' }).first().waitFor();
    });
  });

  describe('and all of this together', () => {
    describeTheWhole(() => paybell);
  });
});
