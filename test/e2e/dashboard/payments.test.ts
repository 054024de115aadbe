import { readFile } from 'node:fs/promises';

import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { describeWithChromium } from '../../support/dashboard/chromium.ts';
import { DashboardStage, describeTheWhole, watchOver } from '../../support/dashboard/dashboard-stage.ts';
import { clipboardOf, factOf, rowOf } from '../../support/dashboard/page-parts.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

/** Orders with which the warehouse fails often enough to open its circuit. */
const MORE_ORDERS = ['A-MORE-1', 'A-MORE-2', 'A-MORE-3', 'A-MORE-4'];

let paybell: DashboardStage;

/** The shop refuses two orders for good, and another order twice; the warehouse is down. */
function refuse({ path, text }: { path: string; text: string }): boolean {
  if (path.startsWith('/warehouse') || /A-REFUSED|A-UNACKNOWLEDGED/.test(text)) return true;
  if (!text.includes('A-THIRD')) return false;
  tries += 1;
  return tries <= 2;
}
let tries = 0;

describeWithChromium('payments on the dashboard', () => {
  const ids = new Map<string, string>();
  const idOf = (orderId: string): string => ids.get(orderId) ?? '';

  async function make(orderId: string, amount: string): Promise<string> {
    const id = await paybell.quote(orderId, amount);
    ids.set(orderId, id);
    return id;
  }
  /** The page of an order. */
  const visitOrder = (orderId: string, role?: Parameters<DashboardStage['visit']>[1]): Promise<Page> =>
    paybell.visit(`/payments/${idOf(orderId)}`, role);

  watchOver(() => paybell);
  beforeAll(async () => {
    paybell = await DashboardStage.open({
      WEBHOOK_RETRY_SCHEDULE: '50ms,50ms,1h',
      STALLED_AFTER_SECONDS: '20',
    });
    paybell.stage.shop.answer((request) =>
      refuse(request) ? { status: 503, body: 'out of stock' } : { status: 204 },
    );
  });

  describe('before anything happened', () => {
    it('say what to do first, and that nothing needs a person', async () => {
      const page = await paybell.visit('');
      await page.getByRole('heading', { name: 'Four steps until the shop is told' }).waitFor();
      expect(await page.getByRole('link', { name: 'Attention' }).innerText()).toBe('Attention');
    });
  });

  describe('the list', () => {
    beforeAll(async () => {
      await paybell.addEndpoint('shop');
      await make('A-LATE', '1000.03');
      await make('A-FAILED', '25.01');
      await make('A-ODD', '8.06');
      await make('A-REFUSED', '19.05');
      await make('A-THIRD', '12345.000000000000000005');
      for (const order of ['A-FAILED', 'A-REFUSED', 'A-THIRD'])
        await paybell.whenAt(idOf(order), order === 'A-FAILED' ? 'FAILED' : 'COMPLETED');
    });

    it('has the newest payment first, with its status, its amount to the last digit and its route', async () => {
      const page = await paybell.visit('/payments');
      const row = rowOf(page, 'A-THIRD');
      await row.getByText('Completed').waitFor();
      await row.getByText('12,345.000000000000000005 ETH').waitFor();
      // A narrower window has no room for the route.
      await page.setViewportSize({ width: 1_440, height: 900 });
      await row.getByText(/Ethereum.*Base/).waitFor();
      expect(await page.getByRole('row').nth(1).innerText()).toContain('A-THIRD');
    });

    it('opens the only payment that is found by an order in any case, its beginning, or its deposit address', async () => {
      const { quote } = await paybell.read(`/api/payments/${idOf('A-FAILED')}`);
      const { depositAddress } = (quote as { send: { depositAddress: string } }).send;
      for (const text of ['a-failed', 'A-FA', depositAddress]) {
        // The list's filter would hide the payment.
        const page = await paybell.visit('/payments?status=COMPLETED');
        await rowOf(page, 'A-THIRD').waitFor();
        await page.keyboard.press('Control+k');
        const search = page.getByRole('searchbox', { name: /^Find payments/ });
        await search.fill(text);
        await search.press('Enter');
        await page.getByRole('heading', { level: 1, name: 'A-FAILED' }).waitFor();
      }
    });

    it('puts a filter into the address, and Back takes it off again', async () => {
      const page = await paybell.visit('/payments');
      const toggle = page.getByRole('group', { name: 'Filters' }).getByRole('link', { name: 'Failed' });
      await toggle.click();
      await rowOf(page, 'A-THIRD').waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('?status=FAILED');
      expect(await toggle.getAttribute('aria-current')).not.toBeNull();
      await page.goBack();
      await rowOf(page, 'A-THIRD').waitFor();
      expect(new URL(page.url()).search).toBe('');
    });

    it('saves what the filters leave as CSV', async () => {
      const page = await paybell.visit('/payments?status=FAILED');
      await rowOf(page, 'A-FAILED').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'CSV' }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^payments-\d{4}-\d\d-\d\d\.csv$/);
      const csv = await readFile(await download.path(), 'utf8');
      expect(csv).toContain('A-FAILED');
      expect(csv).not.toContain('A-THIRD');
    });

    it('keeps filters under a name in this browser, until one is forgotten', async () => {
      const page = await paybell.visit('/payments?late=true');
      await page.getByRole('button', { name: 'Save this filter' }).click();
      await page.getByLabel('Name').fill('paid too late');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.goto(`${paybell.dashboard.url}/dashboard/payments`);
      await page.getByRole('link', { name: 'paid too late' }).click();
      await page.waitForURL('**/payments?late=true');
      await page.getByRole('button', { name: 'Forget the saved filter paid too late' }).click();
      await page.getByRole('link', { name: 'paid too late' }).waitFor({ state: 'detached' });
    });

    it('changes a status in its row as soon as the event comes', async () => {
      const id = await make('A-MOVES', '25.00');
      const page = await paybell.visit('/payments');
      await rowOf(page, 'A-MOVES').waitFor();
      await paybell.whenAt(id, 'COMPLETED');
      await rowOf(page, 'A-MOVES').getByText('Completed').waitFor();
    });
  });

  describe('the page of one', () => {
    it('says in a sentence what happened, at which try the shop acknowledged included', async () => {
      const page = await visitOrder('A-THIRD');
      await page
        .getByText(
          /^Paid 12,345\.000000000000000005 ETH and completed.*: it acknowledged at the third try\.$/,
        )
        .waitFor();
    });

    it('has events and attempts in one line of time', async () => {
      const page = await visitOrder('A-THIRD');
      const entries = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
      await entries.filter({ hasText: 'shop acknowledged' }).first().waitFor();
      const words = (await entries.allInnerTexts()).flatMap(
        (text) => /payment\.\w+|answered 503|acknowledged/.exec(text)?.[0] ?? [],
      );
      expect(words).toContain('payment.completed');
      // The payment may complete before the shop has acknowledged its first events.
      const others = words.filter((word) => word !== 'payment.completed');
      expect(others.slice(0, 4)).toEqual(['payment.created', 'answered 503', 'answered 503', 'acknowledged']);
    });

    it('shows what changed between two reports, and between any others', async () => {
      const page = await visitOrder('A-FAILED');
      await page.getByText('What the report says').last().click();
      await page.getByRole('deletion').filter({ hasText: 'EXECUTING' }).waitFor();
      await page
        .getByRole('insertion')
        .filter({ hasText: /^FAILED$/ })
        .waitFor();
      expect(await page.getByText('depositAddress', { exact: true }).count()).toBe(0);
      await page.getByLabel('Compared with').selectOption({ label: 'nothing: all fields' });
      await page.getByText('depositAddress', { exact: true }).waitFor();
    });

    it('asks the provider again when a person wants it', async () => {
      const page = await visitOrder('A-FAILED');
      const asked = factOf(page, 'Provider asked last').getByRole('time');
      const askedAt = async () => Date.parse((await asked.getAttribute('datetime')) ?? '');
      const before = await askedAt();
      // Paybell makes no second poll within a second of the first.
      await waitFor(() => Date.now() - before > 1_500);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await waitFor(async () => (await askedAt()) > before);
    });

    it('sends again what an endpoint lacks', async () => {
      const page = await visitOrder('A-REFUSED');
      const sentence = page.getByText(/refused payment\.created \d times/);
      const before = /created (\d) times/.exec(await sentence.innerText())?.[1];
      await page.getByRole('button', { name: 'Send again to shop' }).click();
      await page
        .getByRole('status')
        .getByText(/^shop answered 503 to payment\.\w+ in .*: “out of stock”\.$/)
        .waitFor();
      await page.getByText(`refused payment.created ${Number(before) + 1} times`).waitFor();
    });
  });

  describe('what can be done with one', () => {
    beforeAll(async () => {
      await paybell.addEndpoint('warehouse', `${paybell.stage.shop.url}/warehouse`);
      await make('A-UNACKNOWLEDGED', '31.05');
      for (const order of MORE_ORDERS) await make(order, '1.05');
      // The payment goes on after 72 seconds.
      await make('A-STALLED', '7.04');
    });

    it('is reading its raw JSON, digit for digit', async () => {
      const page = await visitOrder('A-THIRD');
      await page.getByRole('button', { name: 'Raw JSON' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('"amount": "12345.000000000000000005"').waitFor();
      await dialog.getByRole('button', { name: 'Copy JSON of the payment' }).click();
      expect(JSON.parse(await clipboardOf(page))).toMatchObject({
        quoteId: idOf('A-THIRD'),
        orderId: 'A-THIRD',
      });
    });

    it('is resolving it with a note, which says who did it, and taking that back', async () => {
      const page = await visitOrder('A-ODD', 'operator');
      await page.getByRole('button', { name: 'Resolve…' }).click();
      await page.getByRole('radio', { name: 'Refunded' }).check();
      await page.getByLabel('Note').fill('paid back by hand');
      await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
      const happened = page.getByRole('region', { name: 'What happened' });
      await happened.getByText('Resolved by operator: Refunded, “paid back by hand”').waitFor();
      await page.getByText('resolved', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Take the resolution back' }).click();
      await page.getByText('The resolution was taken back').waitFor();
      await page.getByRole('button', { name: 'Resolve…' }).waitFor();
    });
  });

  describe('what needs a person', () => {
    beforeAll(async () => {
      await paybell.whenAt(idOf('A-LATE'), 'COMPLETED');
      await paybell.whenNeeded('payments_late', 'payments_anomaly', 'payments_stalled', 'endpoints_failing');
    }, 300_000);

    it('is counted, and each count leads to its list', async () => {
      const page = await paybell.visit('');
      for (const [title, order] of [
        ['Went on after expiry or failure', 'A-LATE'],
        ['The provider contradicts itself', 'A-ODD'],
        ['Stalled after the deposit', 'A-STALLED'],
      ] as const) {
        await page.getByRole('link', { name: `${title} 1 payment` }).click();
        await rowOf(page, order).waitFor();
        expect(await page.getByRole('row').count()).toBe(2);
        await page.goBack();
      }
    });

    it('is counted once, in the menu and in the title, and named in one card', async () => {
      const page = await paybell.visit('');
      const { payments } = (await paybell.read('/api/attention')) as { payments: { count: number } };
      const menu = page.getByRole('navigation', { name: 'Main' });
      await menu.getByText(`${payments.count} payments need a person`).waitFor();
      await waitFor(async () => (await page.title()) === `(${payments.count}) Attention · Paybell`);
      const orders = page.getByRole('listitem').getByRole('link', { name: /^A-/ });
      const named = await orders.allInnerTexts();
      expect(named).toEqual(expect.arrayContaining(['A-LATE', 'A-ODD', 'A-STALLED']));
      expect(new Set(named).size).toBe(named.length);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('button', { name: `Menu ${payments.count} payments need a person` }).waitFor();
    });

    it('names a failing endpoint, with the payments that nobody has acknowledged and their sum', async () => {
      await paybell.whenUnacknowledged(1);
      const page = await paybell.visit('');
      const card = page.getByRole('listitem').filter({ hasText: 'Failing endpoints' });
      await card.getByText('1 endpoint', { exact: true }).waitFor();
      await card
        .getByText(/^The webhook endpoint warehouse fails and gets only retries or probes\./)
        .waitFor();
      await card.getByText('31.05 ETH').waitFor();
      await card.getByRole('button', { name: 'Send a test to warehouse' }).waitFor();
      await card.getByRole('link', { name: 'warehouse' }).click();
      await page.getByRole('heading', { level: 1, name: 'warehouse' }).waitFor();
    });
  });

  describe('all of this together', () => {
    describeTheWhole(() => paybell);
  });
});
