import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { type DashboardStage, ROLE_KEYS, type RoleName } from '../../../support/dashboard/dashboard-stage.ts';
import { Keyboard } from '../../../support/dashboard/keyboard.ts';
import { rowOf } from '../../../support/dashboard/page-parts.ts';
import { dailyStage } from './daily-stage.ts';

/** From this number of payments on, a person confirms that they are sent again. */
const MANY = 10;

/** No test here uses the mouse: the keyboard reaches everything, and the test checks each stop of the focus. */
export function keyboard(): void {
  describe('by keyboard alone, a person', () => {
    let paybell: DashboardStage;
    const ids = { refused: '', failed: '', shop: '' };

    async function at(path: string, role?: RoleName): Promise<{ page: Page; keyboard: Keyboard }> {
      const page = await paybell.visit(path, role);
      return { page, keyboard: new Keyboard(page) };
    }

    beforeAll(async () => {
      paybell = await dailyStage();
      paybell.stage.shop.answer(({ text }) => ({
        status: text.includes('A-REFUSED') ? 503 : 204,
      }));
      ids.shop = await paybell.addEndpoint('shop');
      ids.refused = await paybell.quote('A-REFUSED', '19.05');
      ids.failed = await paybell.quote('A-FAILED', '25.01');
      await paybell.whenAt(ids.failed, 'FAILED');
      await paybell.whenFailed(ids.shop, 'A-REFUSED');
    });

    it('signs in', async () => {
      const page = await paybell.dashboard.visitUnknown('/payments');
      const keyboard = new Keyboard(page);
      await keyboard.expectAt(page.getByLabel('API key'));
      await keyboard.type(ROLE_KEYS.operator);
      await keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
    });

    it('goes through the rows of a list, selects one and opens one', async () => {
      const { page, keyboard } = await at('/payments');
      await rowOf(page, 'A-REFUSED').waitFor();
      await keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      for (const key of ['j', 'j', 'x']) await keyboard.press(key);
      await page.getByText('1 payment selected').waitFor();
      expect(await page.getByRole('checkbox', { name: 'Select A-REFUSED' }).isChecked()).toBe(true);
      await keyboard.press('k');
      await keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'A-FAILED' }).waitFor();
    });

    it('resolves a payment, and takes that back', async () => {
      const { page, keyboard } = await at(`/payments/${ids.failed}`);
      await keyboard.use('button', 'Resolve…');
      await keyboard.tabTo(page.getByRole('radio', { name: 'Refunded' }));
      await keyboard.press('ArrowDown');
      expect(await page.getByRole('radio', { name: 'Fulfilled in another way' }).isChecked()).toBe(true);
      await keyboard.fill('Note', 'sent by post');
      await keyboard.press('Enter');
      await page
        .getByRole('region', { name: 'What happened' })
        .getByText('Resolved by test: Fulfilled in another way, “sent by post”')
        .waitFor();
      await keyboard.use('button', 'Take the resolution back');
      await page.getByText('The resolution was taken back').waitFor();
    });

    it('closes a dialog with Escape, and is where it was opened', async () => {
      const { page, keyboard } = await at(`/payments/${ids.failed}`);
      for (const name of ['Raw JSON', 'Resolve…']) {
        await keyboard.use('button', name);
        await page.getByRole('dialog').waitFor();
        await keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await keyboard.expectAt(page.getByRole('button', { name }));
      }
    });

    it('is kept inside a dialog while it is open', async () => {
      const { page, keyboard } = await at(`/endpoints/${ids.shop}`);
      await keyboard.use('button', 'Delete…');
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      for (let stop = 0; stop < 6; stop += 1) {
        await keyboard.press('Tab');
        await keyboard.expectAt(dialog.getByRole('button'));
      }
      await keyboard.press('Escape');
      await keyboard.expectAt(page.getByRole('button', { name: 'Delete…' }));
    });

    it('reaches each control of a payment and of the first page in reading order, and sees where the focus is', async () => {
      await paybell.whenNeeded('undelivered');
      for (const path of [`/payments/${ids.refused}`, '']) {
        const { page, keyboard } = await at(path);
        await page
          .getByRole('button', { name: /^Send again|^Send a test/ })
          .first()
          .waitFor();
        await keyboard.expectThroughContent();
      }
    }, 150_000);

    it('confirms that many payments are sent again, or cancels that with nothing sent', async () => {
      const orderId = 'A-REFUSED-OFTEN';
      for (let made = 0; made < MANY; made += 1) await paybell.quote(orderId, '25.02');
      const { page, keyboard } = await at(`/payments?orderId=${orderId}`);
      let sent = 0;
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/retry')) sent += 1;
      });
      await page.getByText(`${MANY} payments: these are all.`).waitFor();
      for (let row = 0; row < MANY; row += 1) for (const key of ['j', 'x']) await keyboard.press(key);
      await page.getByText(`${MANY} payments selected`).waitFor();
      await keyboard.use('button', 'Send again…');
      const dialog = page.getByRole('dialog', { name: `Send again for ${MANY} payments?` });
      await dialog.waitFor();
      await keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await keyboard.expectAt(page.getByRole('button', { name: 'Send again…' }));
      expect(sent).toBe(0);
      await keyboard.press('Enter');
      await keyboard.expectAt(dialog.getByRole('button', { name: 'Send again' }));
      await keyboard.press('Enter');
      await page
        .getByRole('status')
        .filter({ hasText: /sent again/ })
        .waitFor();
      expect(sent).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Clear' }).waitFor();
    }, 120_000);

    it('gets past the navigation with the first link', async () => {
      const { page, keyboard } = await at('/payments');
      await keyboard.press('Tab');
      await keyboard.expectAt(page.getByRole('link', { name: 'Skip to the content' }));
      await keyboard.press('Enter');
      await keyboard.press('Tab');
      await page.getByRole('main').locator(':focus').waitFor();
    });
  });
}
