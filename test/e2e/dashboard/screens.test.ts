import { beforeAll, describe, expect, it } from '@jest/globals';

import type { Page } from 'playwright-core';

import { beyondOf, cutOf, faultsOf } from '../../support/dashboard/axe.ts';
import { describeWithChromium } from '../../support/dashboard/chromium.ts';
import { DashboardStage, describeTheWhole, watchOver } from '../../support/dashboard/dashboard-stage.ts';

let paybell: DashboardStage;

/**
 * Each screen as an administrator sees it, with content, for which the named objects are made first. The page of a payment,
 * the sandbox and the plain list have tests of their own.
 */
const SCREENS = [
  '/',
  '/payments?status=FAILED&orderId=A-FAILED',
  '/payments?orderId=nobody',
  '/orders/A-FAILED',
  '/endpoints',
  '/endpoints/ENDPOINT',
  '/deliveries',
  '/deliveries/DELIVERY',
  '/provider',
  '/live',
  '/access',
  '/system',
];

/** Of an order of 200 letters. */
const WITH_ORDERS = [
  '/payments?status=EXPIRED&status=AWAITING_DEPOSIT',
  '/payments/LONG',
  '/orders/ORDER',
  '/deliveries?state=pending',
  '/deliveries?quoteId=LONG',
  '/endpoints/ENDPOINT',
];

/**
 * Each dialog: its screen, and the buttons that open it. The dialogs of a screen stand together, so that the screen is loaded
 * once.
 */
const DIALOGS: readonly (readonly [dialog: string, path: string, buttons: readonly string[]])[] = [
  ['all filters', '/payments', ['Filter']],
  ['a name for a filter', '/payments?late=true', ['Save this filter']],
  ['raw JSON', '/payments/PAYMENT', ['Raw JSON']],
  ['resolving', '/payments/PAYMENT', ['Resolve…']],
  ['adding an endpoint', '/endpoints', ['Add an endpoint']],
  ['changing an endpoint', '/endpoints/ENDPOINT', ['Change…']],
  ['rotating a secret', '/endpoints/ENDPOINT', ['Rotate secret…']],
  ['a new secret', '/endpoints/ENDPOINT', ['Rotate secret…', 'Rotate the secret']],
  ['a test and its answer', '/endpoints/ENDPOINT', ['Send a test', 'Send the test']],
  ['recovering', '/endpoints/ENDPOINT', ['Recover…', 'Count first']],
  ['enabling an endpoint', '/endpoints/DISABLED', ['Enable…']],
  ['deleting an endpoint', '/endpoints/ENDPOINT', ['Delete…']],
  ['adding a key', '/access', ['Add a key']],
  ['revoking a key', '/access', ['Revoke spare']],
];

async function cutOnDesktops(page: Page): Promise<string[]> {
  return [...(await cutOf(page, 1_440)), ...(await cutOf(page, 1_280)), ...(await cutOf(page, 1_024))];
}

describeWithChromium('axe finds nothing, light or dark, and 375 px are enough', () => {
  const ids = { PAYMENT: '', ENDPOINT: '', DISABLED: '', DELIVERY: '', LONG: '', ORDER: 'W'.repeat(200) };
  const named = (path: string): string =>
    path.replaceAll(
      /PAYMENT|ENDPOINT|DISABLED|DELIVERY|LONG|ORDER/g,
      (name) => ids[name as keyof typeof ids],
    );

  watchOver(() => paybell);
  beforeAll(async () => {
    paybell = await DashboardStage.open({ WEBHOOK_RETRY_SCHEDULE: '50ms,1h' });
    paybell.stage.shop.answer(() => ({ status: 503, body: '{"error": "out of stock"}' }));
    ids.ENDPOINT = await paybell.addEndpoint('shop');
    ids.DISABLED = await paybell.addEndpoint('former shop');
    await paybell.disable(ids.DISABLED);
    await paybell.addKey('spare');
    await paybell.quote('A-ODD', '8.06');
    // The story of this amount has no deposit.
    ids.LONG = await paybell.quote(ids.ORDER, '25.02');
    ids.PAYMENT = await paybell.quote('A-FAILED', '25.01');
    await paybell.whenAt(ids.PAYMENT, 'FAILED');
    ids.DELIVERY = (await paybell.list('/api/webhook-deliveries')).at(-1)?.id ?? '';
  });

  it('on each screen', async () => {
    const found: Record<string, readonly string[]> = {};
    for (const path of SCREENS) found[path] = await faultsOf(await paybell.visit(named(path)));
    expect(found).toEqual(Object.fromEntries(SCREENS.map((path) => [path, []])));
  }, 180_000);

  it('with an order of 200 letters, which wraps or is cut, and reaches beyond no edge', async () => {
    const found: Record<string, readonly string[]> = {};
    for (const path of WITH_ORDERS) {
      const page = await paybell.visit(named(path));
      await page.getByRole('main').getByText(/W{9}/).first().waitFor();
      found[path] = [...(await beyondOf(page)), ...(await faultsOf(page)), ...(await cutOnDesktops(page))];
    }
    const provider = await paybell.visit('/provider');
    found['/provider'] = [...(await beyondOf(provider)), ...(await cutOnDesktops(provider))];
    expect(found).toEqual(Object.fromEntries([...WITH_ORDERS, '/provider'].map((path) => [path, []])));
  });

  it('on the tabs for sessions and the audit log', async () => {
    const page = await paybell.visit('/access');
    for (const name of ['Sessions', 'Audit log']) {
      await page.getByRole('tab', { name }).click();
      await page.getByRole('table').waitFor();
      expect(await faultsOf(page)).toEqual([]);
    }
  });

  it('on the sign-in, with an error', async () => {
    const page = await paybell.dashboard.visitUnknown('/sign-in?error=wrong');
    await page.getByRole('alert').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it('on a payment with its reports and the JSON of an event open', async () => {
    const page = await paybell.visit(`/payments/${ids.PAYMENT}`);
    await page.getByText('What the report says').last().click();
    await page.getByLabel('Compared with').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it('on payments that were made in the sandbox, and on events as they come', async () => {
    const page = await paybell.visit('/sandbox');
    await page.getByRole('button', { name: 'Make a payment of 25.05 USDC' }).click();
    await page.getByRole('button', { name: /^Pay now/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it('with the menu open on a narrow window', async () => {
    const page = await paybell.visit('/payments');
    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'System' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it.each([...new Set(DIALOGS.map(([, path]) => path))])('in the dialogs of %s', async (path) => {
    const page = await paybell.visit(named(path));
    for (const [name, , buttons] of DIALOGS.filter(([, at]) => at === path)) {
      for (const button of buttons) await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      if (buttons.includes('Rotate the secret'))
        paybell.secrets.keepShownOnce('a rotated secret', await page.getByText(/^whsec_/).innerText());
      expect([name, await faultsOf(page, '[role=dialog]')]).toEqual([name, []]);
      // Secrets that are shown once disappear before the pages are searched for secrets.
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  it('for a viewer, who sees reasons instead of actions', async () => {
    const page = await paybell.visit(`/payments/${ids.PAYMENT}`, 'viewer');
    expect(await faultsOf(page)).toEqual([]);
  });

  describe('and all of this together', () => {
    describeTheWhole(() => paybell);
  });
});
