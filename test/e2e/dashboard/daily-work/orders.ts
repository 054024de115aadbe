import { beforeAll, describe, expect, it } from '@jest/globals';

import type { DashboardStage } from '../../../support/dashboard/dashboard-stage.ts';
import { faultsOf } from '../../../support/dashboard/axe.ts';
import { rowOf } from '../../../support/dashboard/page-parts.ts';
import { dailyStage } from './daily-stage.ts';

/** An order that was paid twice, from the card to the end of the trouble. */
export function orders(): void {
  describe('an order with two completed payments', () => {
    let paybell: DashboardStage;

    beforeAll(async () => {
      paybell = await dailyStage();
      for (let n = 0; n < 2; n += 1)
        await paybell.whenAt(await paybell.quote('C-TWICE', '7.05'), 'COMPLETED');
      await paybell.whenNeeded('order_paid_twice');
    });

    it('needs a person, whom its page shows both, until one is resolved as a duplicate', async () => {
      const page = await paybell.visit('');
      await page.getByRole('link', { name: 'Orders that were paid twice 1 order' }).click();
      await rowOf(page, 'C-TWICE').getByRole('link').first().click();
      await page.getByText('was paid twice').waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Resolve…' }).click();
      await page.getByRole('dialog').getByLabel('Duplicate').check();
      await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
      await page.getByText('resolved', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'C-TWICE' }).click();
      await page.getByText('Paid.', { exact: true }).waitFor();
    });

    it('is what a search for it opens', async () => {
      const page = await paybell.visit('/payments');
      await page.keyboard.press('Control+k');
      const search = page.getByRole('searchbox', { name: /^Find payments/ });
      await search.fill('C-TWICE');
      await search.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Order C-TWICE' }).waitFor();
      await page.getByRole('row').nth(2).getByText('Completed').waitFor();
    });
  });
}
