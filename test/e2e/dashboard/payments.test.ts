import { readFile } from 'node:fs/promises';

import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { describeWithChromium } from '../../support/dashboard/chromium.ts';
import { DashboardStage, describeTheWhole, watchOver } from '../../support/dashboard/dashboard-stage.ts';
import { clipboardOf, factOf, reasonOf, rowOf } from '../../support/dashboard/page-parts.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

/** With these the warehouse fails so often that its circuit opens. */
const MORE_ORDERS = ['A-MORE-1', 'A-MORE-2', 'A-MORE-3', 'A-MORE-4'];

let paybell: DashboardStage;

/** The shop refuses two orders for good and another twice; the warehouse is down. */
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

    it('say what fills the list of payments', async () => {
      const page = await paybell.visit('/payments');
      await page.getByText('No payments yet').waitFor();
      await page.getByText('as soon as a quote is asked for').waitFor();
    });

    it('say that there is no such payment', async () => {
      const page = await paybell.visit('/payments/00000000-0000-4000-8000-000000000000');
      await page.getByRole('alert').waitFor();
      await page.getByRole('link', { name: 'Payments' }).first().waitFor();
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
      await row.getByText(/Ethereum.*Base/).waitFor();
      expect(await page.getByRole('row').nth(1).innerText()).toContain('A-THIRD');
    });

    it('opens the only payment that is found by an order in any case, its beginning, or its deposit address', async () => {
      const { quote } = await paybell.read(`/api/payments/${idOf('A-FAILED')}`);
      const { depositAddress } = (quote as { send: { depositAddress: string } }).send;
      for (const text of ['a-failed', 'A-FA', depositAddress]) {
        // The filter of the list would hide it.
        const page = await paybell.visit('/payments?status=COMPLETED');
        await rowOf(page, 'A-THIRD').waitFor();
        await page.keyboard.press('Control+k');
        const search = page.getByRole('searchbox', { name: /^Find payments/ });
        await search.fill(text);
        await search.press('Enter');
        await page.getByRole('heading', { level: 1, name: 'A-FAILED' }).waitFor();
      }
    });

    it('lists what several are found by, without the filters of before, and says what found nothing', async () => {
      const page = await paybell.visit('/payments?status=FAILED');
      const search = page.getByRole('searchbox', { name: /^Find payments/ });
      await search.fill('a-');
      await search.press('Enter');
      await rowOf(page, 'A-THIRD').waitFor();
      await rowOf(page, 'A-FAILED').waitFor();
      expect(new URL(page.url()).search).toBe('?search=a-');
      await search.fill('nobody-17');
      await search.press('Enter');
      await page.getByText('No payment is found by “nobody-17”').waitFor();
      await page.getByRole('link', { name: 'Show all payments' }).click();
      await rowOf(page, 'A-THIRD').waitFor();
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

    it('says of each which endpoint was told, and when it changed last; when it was created on hovering', async () => {
      const page = await paybell.visit('/payments');
      await rowOf(page, 'A-REFUSED')
        .getByText(/^503 ×\d$/)
        .waitFor();
      await rowOf(page, 'A-THIRD').getByText('told', { exact: true }).waitFor();
      const changed = rowOf(page, 'A-THIRD').getByRole('cell').last();
      expect(await changed.innerText()).toMatch(/ago|just now/);
      expect(await changed.getByRole('time').getAttribute('title')).toMatch(
        /^Changed \d\d:\d\d:\d\d · .*UTC\nCreated \d\d:\d\d:\d\d · .*UTC$/,
      );
      await page.getByText(/^\d payments$/).waitFor();
    });

    it('keeps on a phone the order, the status and who was not told', async () => {
      const page = await paybell.visit('/payments');
      await page.setViewportSize({ width: 375, height: 800 });
      try {
        const row = rowOf(page, 'A-REFUSED');
        for (const part of [
          row.getByRole('link', { name: 'A-REFUSED' }),
          row.getByText('Completed'),
          row.getByText(/^503/),
        ]) {
          const box = await part.boundingBox();
          expect(box !== null && box.x >= 0 && box.x + box.width <= 375).toBe(true);
        }
      } finally {
        await page.setViewportSize({ width: 1440, height: 900 });
      }
    });

    it('links a delivery that waits to the one before it', async () => {
      const page = await paybell.visit(`/deliveries?orderId=A-REFUSED`);
      await page.getByRole('link', { name: 'behind payment.created #1' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'payment.created to shop' }).waitFor();
    });

    it('keeps its header in sight below the search', async () => {
      const page = await paybell.visit('/payments');
      await rowOf(page, 'A-THIRD').waitFor();
      await page.setViewportSize({ width: 1440, height: 260 });
      try {
        await page.mouse.wheel(0, 2_000);
        await waitFor(async () => Number(await page.evaluate('window.scrollY')) > 100);
        const header = await page.getByRole('columnheader', { name: 'Status' }).boundingBox();
        expect(header?.y).toBeGreaterThanOrEqual(50);
        expect(header?.y).toBeLessThan(60);
      } finally {
        await page.setViewportSize({ width: 1440, height: 900 });
      }
    });

    it('leaves out for a shop what it may not see', async () => {
      const page = await paybell.visit('/payments', 'shop');
      await rowOf(page, 'A-THIRD').waitFor();
      expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
        'Order',
        'Status',
        'Amount',
        'Route',
        'Last change',
      ]);
    });

    it('takes several filters in its form, and lists each with a way to take it off', async () => {
      const page = await paybell.visit('/payments');
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Filter payments' });
      await dialog.getByRole('checkbox', { name: 'Completed' }).check();
      await dialog.getByLabel('Chain').fill('Base');
      await dialog.getByLabel('Token').fill('ETH');
      await dialog.getByRole('button', { name: 'Show' }).click();
      await rowOf(page, 'A-FAILED').waitFor({ state: 'detached' });
      await rowOf(page, 'A-THIRD').waitFor();
      expect(new URL(page.url()).search).toBe('?status=COMPLETED&chain=Base&token=ETH');
      await page.getByRole('button', { name: 'Take the filter off: Completed' }).click();
      await rowOf(page, 'A-FAILED').waitFor();
    });

    it('says that nothing matches, and leads back to all payments', async () => {
      const page = await paybell.visit('/payments?orderId=nobody');
      await page.getByText('No payment matches').waitFor();
      await page.getByRole('link', { name: 'show all payments' }).click();
      await rowOf(page, 'A-THIRD').waitFor();
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

    it('announces a new payment, and moves no row from under the cursor until it is asked to', async () => {
      const page = await paybell.visit('/payments');
      const first = page.getByRole('row').nth(1).getByRole('link');
      await first.hover();
      const before = [await first.boundingBox(), await page.getByRole('row').allInnerTexts()];
      await make('A-NEW', '25.05');
      const announced = page.getByRole('status').getByRole('button', { name: '1 new payment' });
      await announced.waitFor();
      expect([await first.boundingBox(), orders(await page.getByRole('row').allInnerTexts())]).toEqual([
        before[0],
        orders(before[1] as string[]),
      ]);
      await announced.click();
      await rowOf(page, 'A-NEW').waitFor();
      await announced.waitFor({ state: 'detached' });
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
          /^Paid 12,345\.000000000000000005 ETH and completed, .*: it acknowledged at the third try\.$/,
        )
        .waitFor();
    });

    it('says why a payment failed', async () => {
      const page = await visitOrder('A-FAILED');
      await page.getByText(/^Failed: .*The shop knows\.$/).waitFor();
    });

    it('says who does not know of it, and why', async () => {
      const page = await visitOrder('A-REFUSED');
      await page
        .getByText(/shop refused payment\.created \d times since .*: 503, “out of stock”; next try in/)
        .waitFor();
    });

    it('has events and attempts in one line of time', async () => {
      const page = await visitOrder('A-THIRD');
      const entries = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
      await entries.filter({ hasText: 'shop acknowledged' }).first().waitFor();
      const words = (await entries.allInnerTexts()).map(
        (text) => /payment\.\w+|answered 503|acknowledged/.exec(text)?.[0],
      );
      expect(words).toContain('payment.completed');
      // It may complete before the shop has acknowledged what came first.
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
      // Within a second of a poll, another one is not made.
      await waitFor(() => Date.now() - before > 1_500);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await waitFor(async () => (await askedAt()) > before, { timeoutMs: 5_000 });
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
      // It goes on after 72 seconds.
      await make('A-STALLED', '7.04');
    });

    it('is copying a curl that names no key and an address whole, opening its explorer, and reading times here and in UTC', async () => {
      const page = await visitOrder('A-FAILED');
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const url = `${paybell.dashboard.url}/api/payments/${idOf('A-FAILED')}`;
      expect(await clipboardOf(page)).toBe(`curl -sS '${url}' -H "x-api-key: $PAYBELL_API_KEY"`);
      const { quote } = await paybell.read(`/api/payments/${idOf('A-FAILED')}`);
      const { depositAddress } = (quote as { send: { depositAddress: string } }).send;
      const link = page.getByRole('link', { name: 'Open the deposit address in the explorer of its chain' });
      expect(await link.getAttribute('href')).toBe(`https://etherscan.io/address/${depositAddress}`);
      expect(await link.getAttribute('rel')).toContain('noreferrer');
      await page.getByRole('button', { name: 'Copy deposit address' }).click();
      await waitFor(async () => (await clipboardOf(page)) === depositAddress);
      const { createdAt } = await paybell.read(`/api/payments/${idOf('A-FAILED')}`);
      const created = factOf(page, 'Created').getByRole('time');
      expect(await created.getAttribute('title')).toBe(
        `${String(createdAt).replace('T', ' ').replace('Z', '')} UTC`,
      );
      expect(await created.innerText()).toBe(
        await page.evaluate(`new Date('${String(createdAt)}').toLocaleTimeString('en-GB')`),
      );
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
      await page.getByText('Resolved by operator: Refunded, “paid back by hand”').waitFor();
      await page.getByText('resolved', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Take the resolution back' }).click();
      await page.getByText('The resolution was taken back').waitFor();
      await page.getByRole('button', { name: 'Resolve…' }).waitFor();
    });

    it('is nothing for a viewer, who reads why', async () => {
      const page = await visitOrder('A-REFUSED', 'viewer');
      await page.getByRole('button', { name: /^Send again to shop/ }).waitFor();
      for (const [name, needed] of [
        ['Resolve…', 'operator or admin'],
        ['Refresh', 'shop or operator or admin'],
        ['Send again to shop', 'operator or admin'],
      ] as const)
        expect(await reasonOf(page, name)).toBe(`Needs the role ${needed}; you are signed in as viewer.`);
    });

    it('is reading and refreshing for a shop, which sees no delivery', async () => {
      const page = await visitOrder('A-THIRD', 'shop');
      await page.getByText(/^Paid 12,345\.000000000000000005 ETH and completed/).waitFor();
      expect(await reasonOf(page, 'Refresh')).toBeNull();
      expect(await reasonOf(page, 'Resolve…')).toContain('you are signed in as shop');
      expect(await page.getByText('answered 503').count()).toBe(0);
    });
  });

  describe('what needs a person', () => {
    beforeAll(async () => {
      await paybell.whenAt(idOf('A-LATE'), 'COMPLETED');
      await paybell.whenNeeded('payments_late', 'payments_anomaly', 'payments_stalled', 'endpoints_failing');
    }, 300_000);

    it('says how much too late a payment was paid', async () => {
      const page = await visitOrder('A-LATE');
      await page.getByText(/^Paid 1,000\.03 ETH, .* after the quote had expired, and completed\./).waitFor();
      await page.getByText('late', { exact: true }).first().waitFor();
      await page.getByText('payment.expired', { exact: true }).waitFor();
    });

    it('is counted, and each count leads to its list', async () => {
      const page = await paybell.visit('');
      for (const [title, order] of [
        ['Paid after the expiry', 'A-LATE'],
        ['The provider contradicts itself', 'A-ODD'],
        ['Stalled after the deposit', 'A-STALLED'],
      ] as const) {
        await page.getByRole('link', { name: `${title} 1 payment` }).click();
        await rowOf(page, order).waitFor();
        expect(await page.getByRole('row').count()).toBe(2);
        await page.goBack();
      }
    });

    it('names a failing endpoint, with the payments that nobody has acknowledged and their sum', async () => {
      await paybell.whenUnacknowledged(1);
      const page = await paybell.visit('');
      const card = page.getByRole('listitem').filter({ hasText: 'Failing endpoints' });
      await card.getByText('1 endpoint', { exact: true }).waitFor();
      await card.getByText('1 payment not told').waitFor();
      await card.getByText('31.05 ETH').waitFor();
      await card.getByRole('link', { name: 'warehouse' }).click();
      await page.getByRole('heading', { level: 1, name: 'warehouse' }).waitFor();
    });

    it('is counted beside the place in the navigation too', async () => {
      const page = await paybell.visit('');
      const cards = page.getByRole('main').getByRole('list').first().getByRole('listitem');
      await cards.first().waitFor();
      const place = page.getByRole('link', { name: /^Attention \d+ payments? needs? a person/ });
      expect(await place.getAttribute('href')).toMatch(/^\/dashboard\/?$/);
      const counts = (await cards.allInnerTexts()).map((text) =>
        Number(/^(\d+) payments?$/m.exec(text)?.[1] ?? 0),
      );
      expect(Number(/\d+/.exec(await place.innerText())?.[0])).toBe(Math.max(...counts));
    });

    it('shows a command as code, and leaves no card alone in its row', async () => {
      const page = await paybell.visit('');
      await page.setViewportSize({ width: 1_280, height: 900 });
      await page.route('**/api/attention', async (route) => {
        const response = await route.fetch();
        const json = (await response.json()) as { items: object[] };
        const detail = 'Then `paybell endpoints recover ID` sends these.';
        const items = Array.from({ length: 5 }, (_, at) => ({
          ...json.items[0],
          code: `code_${at}`,
          detail,
        }));
        await route.fulfill({ response, json: { ...json, items } });
      });
      await page.reload();
      const cards = page.getByRole('main').getByRole('list').first().getByRole('listitem');
      await cards
        .locator('code', { hasText: /^paybell endpoints recover ID$/ })
        .first()
        .waitFor();
      expect(await cards.first().innerText()).not.toContain('`');
      const tops = await Promise.all((await cards.all()).map(async (card) => (await card.boundingBox())?.y));
      await page.unroute('**/api/attention');
      expect(tops.map((top) => tops.indexOf(top))).toEqual([0, 0, 0, 3, 3]);
    });

    it('says how the last hour went', async () => {
      const page = await paybell.visit('');
      const hour = page.getByRole('region', { name: /the last hour$/i });
      await hour.getByRole('link', { name: 'Requests to the provider' }).waitFor();
      await hour.getByRole('link', { name: 'Deliveries' }).click();
      await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    });

    it('leads a shop to its payments, since it may not see the rest', async () => {
      const page = await paybell.visit('', 'shop');
      await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
      expect(await page.getByRole('link', { name: 'Attention' }).count()).toBe(0);
    });
  });

  describe('all of this together', () => {
    describeTheWhole(() => paybell);
  });
});

/** The orders in the texts of rows: times go on. */
function orders(texts: readonly string[]): string[] {
  return texts.map((text) => /A-\w+/.exec(text)?.[0] ?? '');
}
