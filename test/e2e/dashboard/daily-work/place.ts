import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import type { DashboardStage } from '../../../support/dashboard/dashboard-stage.ts';
import { rowOf } from '../../../support/dashboard/page-parts.ts';
import { scrollDown, settled } from '../../../../tools/testkit/scrolling.ts';
import { waitFor } from '../../../../tools/testkit/wait-for.ts';
import { dailyStage } from './daily-stage.ts';

const LONG_NAME = 'The warehouse of the second shop, behind the proxy of the old data centre';
const FOCUSED = "document.activeElement?.textContent ?? ''";
/** Rows that are seen whole. */
const VISIBLE = `[...document.querySelectorAll('main tr[data-index]')].filter((row) => {
  const { top, bottom } = row.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
}).length`;

/** How much of the list a screen shows, and where a person is after the visit of a payment. */
export function place(): void {
  describe('a long list on the dashboard', () => {
    let paybell: DashboardStage;

    /** Adds payments that are newer than all others, numbered from `first` on, the newest first. */
    async function insert(prefix: string, count: number, after: string): Promise<void> {
      await paybell.stage.database.query(
        `INSERT INTO payment (provider, quote_id, order_id, status, late, sequence, tracking, created_at, updated_at, progress_at,
           part_digests, report_digest, stalls, contradictions)
         SELECT 'http', gen_random_uuid(), $1 || lpad(n::text, 4, '0'), 'EXPIRED', false, 1, 'closed', t, t, t, '|||', '', '{}', '{}'
         FROM (SELECT n, now() - interval '30 days' + $3::interval - n * interval '1 minute' AS t FROM generate_series(1, $2::int) n) made`,
        [prefix, count, after],
      );
    }

    const topOf = async (page: Page, order: string): Promise<number> =>
      (await rowOf(page, order).boundingBox())?.y ?? Number.NaN;

    /** Expects the list with the focus on this row, at the same distance from the top as before. */
    async function expectAt(page: Page, order: string, top: number): Promise<void> {
      await waitFor(async () => (await page.evaluate<string>(FOCUSED)) === order, {
        what: `${order} focused`,
      });
      await settled(page);
      expect(Math.abs((await topOf(page, order)) - top)).toBeLessThan(2);
    }

    beforeAll(async () => {
      paybell = await dailyStage();
      await insert('L-', 1_200, '0 s');
    });

    it('shows 14 rows at least, though two endpoints with long names are down', async () => {
      paybell.stage.shop.answer(() => ({ status: 503 }));
      const endpoints = [
        await paybell.addEndpoint(LONG_NAME),
        await paybell.addEndpoint(`${LONG_NAME}, moved`, `${paybell.stage.shop.url}/moved`),
      ];
      for (let order = 1; order <= 16; order += 1)
        await paybell.quote(`M-${order}-of-a-long-name-of-orders`, '12345.000000000000000004');
      const page = await paybell.visit('/payments');
      await page.setViewportSize({ width: 1_440, height: 900 });
      await rowOf(page, 'M-1-of')
        .getByText(/refuses 503|is down/)
        .waitFor();
      await settled(page);
      expect(await page.evaluate<number>(VISIBLE)).toBeGreaterThanOrEqual(14);
      for (const id of endpoints)
        await paybell.app.fetch(`/api/webhook-endpoints/${id}`, { method: 'DELETE' });
    });

    it('is at the same row after Back, and goes on from there, though new rows have come above it', async () => {
      const page = await paybell.visit('/payments?status=EXPIRED&search=L-');
      await waitFor(async () => {
        await scrollDown(page, 1);
        return (await rowOf(page, 'L-0350').count()) > 0;
      });
      await page.getByRole('link', { name: 'L-0350' }).scrollIntoViewIfNeeded();
      const before = await topOf(page, 'L-0350');
      await page.getByRole('link', { name: 'L-0350' }).click();
      await page.getByRole('heading', { level: 1, name: 'L-0350' }).waitFor();
      await page.goBack();
      await expectAt(page, 'L-0350', before);
      await page.keyboard.press('j');
      expect(await page.evaluate<string>(FOCUSED)).toBe('L-0351');
      const next = await topOf(page, 'L-0351');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'L-0351' }).waitFor();
      // The list is read anew.
      await insert('L-new-', 130, '1 day');
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'L-0351' }).waitFor();
      await page.goBack();
      await expectAt(page, 'L-0351', next);
      await page.keyboard.press('k');
      expect(await page.evaluate<string>(FOCUSED)).toBe('L-0350');
    });

    it('opens the order that is typed whole, in any case, though others begin with it', async () => {
      await insert('L-0012', 1, '0 s');
      const page = await paybell.visit('/payments');
      for (const typed of ['L-0012', 'l-0012']) {
        await page.keyboard.press('/');
        const search = page.getByRole('searchbox', { name: /^Find payments/ });
        await search.fill(typed);
        await search.press('Enter');
        await page.getByRole('heading', { level: 1, name: 'L-0012' }).waitFor();
      }
    });

    it('leaves words out that its address has and no filter is called, and says so', async () => {
      const page = await paybell.visit('/payments?order=desc&status=LOST&search=L-0001');
      await page
        .getByText(
          'The filter order is unknown and was left out. The filter status has no “LOST”, which was left out.',
        )
        .waitFor();
      await rowOf(page, 'L-0001').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    });
  });
}
