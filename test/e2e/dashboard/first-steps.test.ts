import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { describeWithChromium } from '../../support/dashboard/chromium.ts';
import { DashboardStage, describeTheWhole, watchOver } from '../../support/dashboard/dashboard-stage.ts';
import { jsonOf } from '../../support/stage.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

let paybell: DashboardStage;

describeWithChromium('a Paybell that has told nobody yet', () => {
  watchOver(() => paybell);
  beforeAll(async () => {
    paybell = await DashboardStage.open({ SANDBOX_AUTOPAY: 'false' });
  });

  /** The titles of the steps, those that are done with a word. */
  async function steps(page: Page): Promise<string[]> {
    return page.getByRole('listitem').getByRole('heading', { level: 3 }).allInnerTexts();
  }

  /** Answers of the API may be some seconds old. */
  async function whenStarted(done: Record<string, boolean>): Promise<void> {
    const steps = { hasDestination: false, isTested: false, isHandedOver: false, isAsked: false, ...done };
    await waitFor(
      async () => {
        const { firstSteps } = (await paybell.read('/api/attention')) as { firstSteps: object | null };
        expect(firstSteps).toEqual(steps);
        return true;
      },
      { timeoutMs: 20_000, everyMs: 200, what: JSON.stringify(done) },
    );
  }

  describe('shows on its first page', () => {
    it('the four steps in the order in which no event is lost, and not that nothing needs anybody', async () => {
      const page = await paybell.visit('/');
      await page.getByRole('heading', { name: 'Four steps until the shop is told' }).waitFor();
      expect(await steps(page)).toEqual([
        'Add an endpoint',
        'Send it a test',
        'Hand over the open quotes',
        'Change the base URL',
      ]);
      expect(await page.getByText('Nothing needs you').count()).toBe(0);
    });

    it('to a viewer who may not take the first one, and says so', async () => {
      const page = await paybell.visit('/', 'viewer');
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Add an endpoint' })
        .getByText(/\(.+\)/)
        .waitFor();
    });

    it('the commands with the address that it was opened at', async () => {
      const page = await paybell.visit('/');
      await page.getByText(`curl '${paybell.dashboard.url}/api/payments'`).waitFor();
    });

    it('the first step as done once there is an endpoint, with a link to it', async () => {
      const { app, stage } = paybell;
      const body = { url: `${stage.shop.url}/hook`, description: 'shop' };
      await jsonOf(await app.fetch('/api/webhook-endpoints', { method: 'POST', body }), 201);
      await whenStarted({ hasDestination: true });
      const page = await paybell.visit('/');
      expect(await steps(page)).toContainEqual(expect.stringMatching(/^Add an endpoint\s*, done$/));
      await page.getByRole('link', { name: 'Go to the endpoint' }).click();
      await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
    });

    it('the second one once the endpoint has acknowledged a test', async () => {
      const [endpoint] = await paybell.list('/api/webhook-endpoints');
      const path = `/api/webhook-endpoints/${endpoint?.id}/test`;
      const result = await jsonOf(await paybell.app.fetch(path, { method: 'POST' }), 200);
      expect(result).toMatchObject({ delivered: true });
      await whenStarted({ hasDestination: true, isTested: true });
      const page = await paybell.visit('/');
      await page.getByRole('heading', { level: 3, name: /^Send it a test ?, done$/ }).waitFor();
      expect((await steps(page)).filter((title) => title.includes('done'))).toHaveLength(2);
    });

    it('none of them once an event was told', async () => {
      await paybell.quote('A-1', '25.00');
      const isTold = async () => (await paybell.read('/api/attention'))['firstSteps'] === undefined;
      await waitFor(isTold, { timeoutMs: 20_000, everyMs: 200, what: 'an event to be told' });
      const page = await paybell.visit('/');
      await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor();
      await page.getByText(/^Checked at \d\d:\d\d:\d\d/).waitFor();
      expect(await page.getByText('Four steps').count()).toBe(0);
    });
  });

  describeTheWhole(() => paybell);
});
