import { beforeAll, describe, expect, it } from '@jest/globals';

import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { describeWithChromium } from '../../support/dashboard/chromium.ts';
import { DashboardStage, describeTheWhole, watchOver } from '../../support/dashboard/dashboard-stage.ts';
import { clipboardOf, factOf, reasonOf, rowOf } from '../../support/dashboard/page-parts.ts';

let paybell: DashboardStage;
/** The paths at which the shop answers 503. */
const down = new Set<string>();

describeWithChromium('endpoints and deliveries on the dashboard', () => {
  const ids = new Map<string, string>();
  const idOf = (name: string): string => ids.get(name) ?? '';
  const urlOf = (name: string): string => `${paybell.stage.shop.url}/${name}`;

  async function addEndpoint(name: string): Promise<void> {
    ids.set(name, await paybell.addEndpoint(name, urlOf(name)));
  }
  /** The newest delivery of an order to an endpoint. */
  async function deliveryOf(orderId: string, endpoint: string): Promise<string> {
    const path = `/api/webhook-deliveries?orderId=${orderId}&endpointId=${idOf(endpoint)}`;
    return (await paybell.list(path)).at(-1)?.id ?? '';
  }

  watchOver(() => paybell);
  beforeAll(async () => {
    paybell = await DashboardStage.open({ WEBHOOK_RETRY_SCHEDULE: '50ms,1h' });
    paybell.stage.shop.answer(({ path }) => {
      if (path === '/gone') return { status: 410 };
      return down.has(path.slice(1)) ? { status: 503, body: 'out of stock' } : { status: 204 };
    });
  });

  describe('endpoints', () => {
    it('are asked for where there is none', async () => {
      const page = await paybell.visit('/endpoints');
      await page.getByText('No endpoint yet').waitFor();
      await page.getByRole('button', { name: 'Add an endpoint' }).waitFor();
    });

    it('are added with a secret that is shown once', async () => {
      const page = await paybell.visit('/endpoints');
      await page.getByRole('button', { name: 'Add an endpoint' }).click();
      await page.getByLabel('URL').fill(urlOf('shop'));
      await page.getByLabel('Name').fill('shop');
      await page.getByRole('button', { name: 'Add the endpoint' }).click();
      const secret = await page.getByText(/^whsec_/).innerText();
      paybell.secrets.keepShownOnce('the secret of an endpoint', secret);
      await page.getByRole('button', { name: 'Copy secret' }).click();
      expect(await clipboardOf(page)).toBe(secret);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
      expect(await page.content()).not.toContain(secret);
      ids.set('shop', new URL(page.url()).pathname.split('/').at(-1) ?? '');
      await page.reload();
      await page.getByText('Nothing has been delivered to it yet.').waitFor();
      expect(await page.content()).not.toContain(secret);
    });

    it('are changed: name, events and whether they get any', async () => {
      await addEndpoint('pair');
      const page = await paybell.visit(`/endpoints/${idOf('pair')}`);
      await page.getByRole('button', { name: 'Change…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change the endpoint' });
      await dialog.getByLabel('Name').fill('former shop');
      await dialog.getByRole('checkbox', { name: 'created' }).uncheck();
      await dialog.getByRole('checkbox', { name: /^Enabled/ }).uncheck();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: 'former shop' }).waitFor();
      await page.getByText('Disabled', { exact: true }).waitFor();
      expect(await factOf(page, 'Events').innerText()).not.toContain('created');
      expect(await reasonOf(page, 'Recover…')).toBe('Enable the endpoint first.');
    });

    it('are deleted when that is confirmed', async () => {
      const page = await paybell.visit(`/endpoints/${idOf('pair')}`);
      await page.getByRole('button', { name: 'Delete…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete former shop?' });
      await dialog.getByRole('button', { name: 'Keep it' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByRole('button', { name: 'Delete the endpoint' }).click();
      await page.getByRole('heading', { level: 1, name: 'Endpoints' }).waitFor();
      await rowOf(page, 'shop').first().waitFor();
      expect(await rowOf(page, 'former shop').count()).toBe(0);
    });

    it('get a new secret that is shown once, while the former one signs for a day', async () => {
      const page = await paybell.visit(`/endpoints/${idOf('shop')}`);
      await page.getByRole('button', { name: 'Rotate secret…' }).click();
      await page.getByRole('button', { name: 'Rotate the secret' }).click();
      const secret = await page.getByText(/^whsec_/).innerText();
      paybell.secrets.keepShownOnce('a rotated secret', secret);
      await page.getByText(/the former signs until then, and ends in 2[34] h/).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.content()).not.toContain(secret);
    });

    it('are tested, and what they answer is shown with what to do about it', async () => {
      const page = await paybell.visit(`/endpoints/${idOf('shop')}`);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('button', { name: 'Send the test' }).click();
      await page.getByText(/Acknowledged: it answered 204 in/).waitFor();
      expect(paybell.stage.shop.requests.at(-1)?.text).toContain('webhook.test');
      down.add('shop');
      await page.getByRole('button', { name: 'Send it again' }).click();
      await page.getByText(/Not acknowledged: it answered 503 in .*Look into the log of the shop/).waitFor();
      await page.getByRole('group', { name: 'answer of the endpoint' }).getByText('out of stock').waitFor();
      down.delete('shop');
    });
  });

  describe('an endpoint that fails', () => {
    beforeAll(async () => {
      down.add('warehouse');
      await addEndpoint('warehouse');
      await addEndpoint('gone');
      await paybell.whenAt(await paybell.quote('A-1', '25.05'), 'COMPLETED');
      await paybell.whenAt(await paybell.quote('A-2', '26.01'), 'FAILED');
      await paybell.whenDelivered(idOf('shop'), 6);
    });

    it('stands in the list with its state, what waits for it and when it last acknowledged', async () => {
      const page = await paybell.visit('/endpoints');
      await rowOf(page, 'warehouse')
        .getByText(/^(Failing|Down, probed)$/)
        .waitFor();
      await rowOf(page, 'warehouse').getByRole('cell', { name: '6', exact: true }).waitFor();
      await rowOf(page, 'warehouse').getByRole('cell', { name: 'never' }).waitFor();
      const shop = rowOf(page, 'shop').first();
      await shop.getByText('Works', { exact: true }).waitFor();
      await shop.getByRole('cell', { name: '0', exact: true }).waitFor();
    });

    it('says since when, how often, in which way, and what to do', async () => {
      const page = await paybell.visit(`/endpoints/${idOf('warehouse')}`);
      await page.getByText(/^Every attempt has failed for .*events wait\.$/).waitFor();
      const failures = page.getByRole('region', { name: 'How it fails' });
      await failures.getByText('The endpoint answered with an error: 503').waitFor();
      await failures.getByText('Look into the log of the shop').waitFor();
      await factOf(page, 'Failing since').getByRole('time').waitFor();
    });

    it('is disabled by a 410, and says so', async () => {
      const page = await paybell.visit(`/endpoints/${idOf('gone')}`);
      await page.getByText(/^Disabled: .*410.*Nothing is sent to it\./).waitFor();
    });

    it('is recovered after a count, and only then', async () => {
      const page = await paybell.visit(`/endpoints/${idOf('warehouse')}`);
      await page.getByRole('button', { name: 'Recover…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Recover missed events' });
      const start = dialog.getByRole('button', { name: /^Send them again/ });
      expect(await start.getAttribute('title')).toBe('Count what there is first.');
      await dialog.getByRole('button', { name: 'Count first' }).click();
      await dialog.getByText('6 events will be sent again.').waitFor();
      expect(await paybell.list(`/api/webhook-endpoints/${idOf('warehouse')}/recoveries`)).toEqual([]);
      down.delete('warehouse');
      await start.click();
      await dialog.waitFor({ state: 'detached' });
      const recoveries = page.getByRole('region', { name: 'Recoveries' });
      // The delivery that probed the circuit meanwhile does not count.
      await recoveries.getByText(/[1-6] of 6 queued again/).waitFor();
      await paybell.whenDelivered(idOf('warehouse'), 6);
    });

    it('is enabled with what it was not sent meanwhile, if that is asked for', async () => {
      await paybell.disable(idOf('warehouse'));
      await paybell.whenAt(await paybell.quote('A-OFF', '28.05'), 'COMPLETED');
      const page = await paybell.visit(`/endpoints/${idOf('warehouse')}`);
      await page.getByText(/events were not sent while it was disabled\.$/).waitFor();
      await page.getByRole('button', { name: 'Enable…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Enable warehouse?' });
      await dialog.getByText(/\d events were not sent while it was disabled: send them\?$/).waitFor();
      await dialog.getByRole('button', { name: 'Enable and send them' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('Works', { exact: true }).waitFor();
      await page.getByText('It takes what is sent.').waitFor();
      const told = `/api/webhook-deliveries?endpointId=${idOf('warehouse')}&orderId=A-OFF&state=delivered`;
      await waitFor(async () => (await paybell.list(told)).length > 1);
    });

    it('gets the events of one payment that it was not sent, in their order', async () => {
      await paybell.disable(idOf('warehouse'));
      const quoteId = await paybell.quote('A-OFF-2', '29.05');
      await paybell.whenAt(quoteId, 'COMPLETED');
      const page = await paybell.visit(`/payments/${quoteId}`, 'operator');
      expect(await reasonOf(page, 'Send again to warehouse')).toBe('Enable the endpoint first.');
      const body = { enabled: true };
      await paybell.app.fetch(`/api/webhook-endpoints/${idOf('warehouse')}`, { method: 'PATCH', body });
      await page.reload();
      await page.getByRole('button', { name: 'Send again to warehouse' }).click();
      await page.getByText(/^warehouse acknowledged all \d events\.$/).waitFor();
      const told = `/api/webhook-deliveries?endpointId=${idOf('warehouse')}&orderId=A-OFF-2&state=discarded`;
      expect(await paybell.list(told)).toEqual([]);
    });

    it('offers a viewer nothing that it may not do, and says why', async () => {
      const page = await paybell.visit(`/endpoints/${idOf('warehouse')}`, 'viewer');
      for (const name of ['Delete…', 'Rotate secret…', 'Change…'])
        expect(await reasonOf(page, name)).toBe('Needs the role admin; you are signed in as viewer.');
      for (const name of ['Recover…', 'Send a test'])
        expect(await reasonOf(page, name)).toBe(
          'Needs the role operator or admin; you are signed in as viewer.',
        );
      await page.getByRole('button', { name: 'Send a test' }).click({ force: true });
      expect(await page.getByRole('dialog').count()).toBe(0);
    });
  });

  describe('deliveries', () => {
    beforeAll(async () => {
      down.add('shop');
      await paybell.whenAt(await paybell.quote('A-3', '27.05'), 'COMPLETED');
      await paybell.whenFailed(idOf('shop'), 'A-3');
    });

    it('are listed with their state, how the last attempt went and when the next one is', async () => {
      const page = await paybell.visit('/deliveries?orderId=A-3');
      const row = rowOf(page, 'payment.created').filter({ hasText: 'shop', hasNotText: 'behind' });
      await row.getByText('Waiting', { exact: true }).waitFor();
      await row.getByText(/^answered 503( \(\d+ attempts\))?$/).waitFor();
      await row.getByText(/^in \d+ (min|h)/).waitFor();
    });

    it('show each attempt with its answer, how long it took and what to do', async () => {
      const page = await paybell.visit(`/deliveries/${await deliveryOf('A-3', 'shop')}`);
      const attempts = page.getByRole('region', { name: 'Attempts' });
      await attempts.getByText('answered 503').first().waitFor();
      await attempts.getByRole('group', { name: 'answer to attempt 1' }).getByText('out of stock').waitFor();
      await attempts
        .getByRole('meter', { name: /^Took \d+ ms/ })
        .first()
        .waitFor();
      await attempts
        .getByText(/Look into the log of the shop/)
        .first()
        .waitFor();
    });

    it('show indented, copy and show exactly the bytes that the shop got, with headers, and how to verify them in six languages', async () => {
      const id = await deliveryOf('A-3', 'shop');
      const page = await paybell.visit(`/deliveries/${id}`);
      const body = page.getByRole('group', { name: 'body, byte for byte' });
      await body.waitFor();
      const got = paybell.stage.shop.requests.find(
        ({ path, text }) => path === '/shop' && text.includes('A-3') && text.includes('payment.created'),
      );
      expect((await body.innerText()).split('\n').length).toBeGreaterThan(10);
      await page.getByRole('button', { name: 'Copy body, byte for byte' }).click();
      expect(await clipboardOf(page)).toBe(got?.text);
      await page.getByRole('button', { name: 'Show the exact bytes' }).click();
      expect(await body.innerText()).toBe(got?.text);
      await page.getByText(`${got?.body.length} bytes.`).waitFor();
      const headers = await page.getByRole('group', { name: 'headers of the last attempt' }).innerText();
      expect(headers).toContain(`webhook-id: ${String(got?.headers['webhook-id'])}`);
      expect(headers).toContain(`user-agent: ${String(got?.headers['user-agent'])}`);
    });

    it('are sent again when a person says so', async () => {
      const page = await paybell.visit(`/deliveries/${await deliveryOf('A-3', 'shop')}`, 'operator');
      down.delete('shop');
      await page.getByRole('button', { name: 'Send it now' }).click();
      await page.getByText('acknowledged with 204').first().waitFor();
      await page.getByText('Delivered', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Send it once more' }).waitFor();
    });
  });

  describe('all of this together', () => {
    describeTheWhole(() => paybell);
  });
});
