import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { SHELVES } from '../../../web/src/screens/sandbox/stories.ts';
import { describeWithChromium } from '../../support/dashboard/chromium.ts';
import {
  DashboardStage,
  describeTheWhole,
  ROLE_KEYS,
  type RoleName,
  watchOver,
} from '../../support/dashboard/dashboard-stage.ts';
import { clipboardOf, factOf, rowOf } from '../../support/dashboard/page-parts.ts';
import { jsonOf } from '../../support/stage.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

const STORIES = SHELVES.flatMap(({ stories }) =>
  stories.map(({ name, ending }) => [name, `25.${ending}`] as const),
);

let paybell: DashboardStage;

describeWithChromium('the service and its users on the dashboard', () => {
  watchOver(() => paybell);
  beforeAll(async () => {
    paybell = await DashboardStage.open({ SANDBOX_AUTOPAY: 'false' });
  });

  describe('a Paybell that has told nobody yet shows on its first page', () => {
    /** The titles of the steps; a done step has a word beside it. */
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
        { everyMs: 200, what: JSON.stringify(done) },
      );
    }

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
      await waitFor(isTold, { everyMs: 200, what: 'an event to be told' });
      const page = await paybell.visit('/');
      await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor();
      await page.getByText(/^Checked at \d\d:\d\d:\d\d/).waitFor();
      expect(await page.getByText('Four steps').count()).toBe(0);
    });
  });

  describe('signing in', () => {
    it('refuses a key that is not known, and says so', async () => {
      const page = await paybell.dashboard.visitUnknown('/sign-in');
      await page.getByLabel('API key').fill('a wrong key');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('This key is not known here.').waitFor();
      expect(await page.getByLabel('API key').inputValue()).toBe('');
    });

    it('leads to where one wanted, and gives no script the key: it is in no cookie, store or element', async () => {
      const page = await paybell.dashboard.visitUnknown('/payments?status=FAILED');
      await page.getByLabel('API key').fill(ROLE_KEYS.admin);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
      expect(new URL(page.url()).search).toBe('?status=FAILED');
      await paybell.dashboard.keepReadable();
      expect(await page.evaluate('document.cookie')).toBe('');
      expect(paybell.dashboard.readable.join('')).not.toContain(ROLE_KEYS.admin);
    });

    it('ends by signing out, and asks for a key again', async () => {
      const page = await paybell.visit('/payments', 'viewer');
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByLabel('API key').waitFor();
      await page.goto(`${paybell.dashboard.url}/dashboard/payments`);
      await page.getByLabel('API key').waitFor();
    });
  });

  describe('each role', () => {
    const ALL = [
      'Attention',
      'Payments',
      'Endpoints',
      'Deliveries',
      'Provider',
      'Live',
      'Sandbox',
      'Access',
      'System',
    ];
    const PLACES: Record<RoleName, readonly string[]> = {
      shop: ['Payments', 'Live', 'Sandbox', 'System'],
      viewer: ALL.filter((place) => place !== 'Access'),
      operator: ALL.filter((place) => place !== 'Access'),
      admin: ALL,
    };

    it('finds its places, and no others', async () => {
      for (const role of Object.keys(PLACES) as RoleName[]) {
        const page = await paybell.visit('/system', role);
        const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
        const names = (await links.allInnerTexts()).map((text) => text.split('\n')[0]?.trim());
        expect(names).toEqual(PLACES[role]);
        await factOf(page, 'Role').getByText(role, { exact: true }).waitFor();
      }
    });
  });

  describe('the sandbox', () => {
    beforeAll(async () => {
      await paybell.pay(await paybell.quote('A-OUTAGE', '25.08'));
    });

    it('makes a payment of each story, and leads to it', async () => {
      const page = await paybell.visit('/sandbox', 'shop');
      for (const [index, [, amount]] of STORIES.entries()) {
        await page.getByRole('button', { name: `Make a payment of ${amount} USDC` }).click();
        await page
          .getByRole('button', { name: /^Pay now/ })
          .nth(index)
          .waitFor();
      }
      const rows = page.getByRole('region').last().getByRole('row');
      const made = await page.getByRole('button', { name: /^Pay now/ }).all();
      const names = await Promise.all(made.map((button) => button.getAttribute('aria-label')));
      expect(names).toEqual(STORIES.map(([name]) => `Pay now: ${name}`).reverse());
      const payments = await paybell.list<{ quote: { send: { amount: string } } }>(
        `/api/payments?limit=${STORIES.length}`,
      );
      expect(payments.map(({ quote }) => quote.send.amount)).toEqual(
        STORIES.map(([, amount]) => amount).reverse(),
      );
      await rows.getByRole('link', { name: 'An outage' }).click();
      await page.getByRole('heading', { level: 1, name: /^sandbox-08-/ }).waitFor();
    });
  });

  describe('the provider', () => {
    it('says in a sentence how it fares, counts payments by urgency, and has its budget and its detection gap in charts and tables', async () => {
      const page = await paybell.visit('/provider');
      await page
        .getByText(/^The sandbox answers, and each payment is polled at its usual interval\./)
        .waitFor();
      await page.getByText('Works', { exact: true }).waitFor();
      await factOf(page, 'Circuit').getByText('closed').waitFor();
      await factOf(page, 'Requests a minute').getByText('no limit').waitFor();
    });
  });

  describe('live', () => {
    it('shows events as they come, the newest first', async () => {
      const page = await paybell.visit('/live');
      await page.getByRole('main').getByText('Live', { exact: true }).nth(1).waitFor();
      await paybell.quote('A-LIVE-1', '3.00');
      await page.getByRole('link', { name: 'A-LIVE-1' }).waitFor();
      await paybell.quote('A-LIVE-2', '3.00');
      await page.getByRole('link', { name: 'A-LIVE-2' }).waitFor();
      const orders = await page.getByRole('link', { name: /^A-LIVE/ }).allInnerTexts();
      expect(orders).toEqual(['A-LIVE-2', 'A-LIVE-1']);
    });

    it('holds events while it is paused, counts them, and shows them afterwards', async () => {
      const page = await paybell.visit('/live');
      await page.getByRole('main').getByText('Live', { exact: true }).nth(1).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await paybell.quote('A-HELD', '4.00');
      await page.getByText(/Paused, [1-9]\d* events? held/).waitFor();
      expect(await page.getByRole('link', { name: 'A-HELD' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByRole('link', { name: 'A-HELD' }).waitFor();
    });
  });

  describe('access', () => {
    it('makes a key that is shown once, and that works', async () => {
      const page = await paybell.visit('/access');
      await page.getByRole('button', { name: 'Add a key' }).click();
      await page.getByLabel('Name', { exact: true }).fill('night-shift');
      await page.getByRole('radio', { name: /^operator/ }).check();
      await page.getByRole('button', { name: 'Make the key' }).click();
      const dialog = page.getByRole('dialog', { name: 'The key night-shift is made' });
      await dialog.getByRole('button', { name: 'Copy API key' }).click();
      const key = await clipboardOf(page);
      paybell.secrets.keepShownOnce('a new API key', key);
      expect(await dialog.innerText()).toContain(key);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await rowOf(page, 'night-shift').waitFor();
      expect(await page.content()).not.toContain(key);
      const answer = await paybell.app.fetch('/api/whoami', { headers: { 'x-api-key': key } });
      expect(await answer.json()).toMatchObject({ name: 'night-shift', role: 'operator' });
    });

    it('says whom it is for to a role that may not see it, and asks for nothing', async () => {
      const page = await paybell.visit('/payments', 'operator');
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${paybell.dashboard.url}/dashboard/access`);
      await page.getByText('Needs the role admin; you are signed in as operator.', { exact: true }).waitFor();
      expect(await page.getByRole('navigation').getByRole('link', { name: 'Access' }).count()).toBe(0);
      expect(asked.filter((path) => /keys|sessions|audit/.test(path))).toEqual([]);
    });

    it('has who changed what in its audit log, and filters it', async () => {
      const page = await paybell.visit('/access');
      await page.getByRole('tab', { name: 'Audit log' }).click();
      await rowOf(page, 'Signed in').first().waitFor();
      await page.getByLabel('What', { exact: true }).selectOption({ label: 'Made a key' });
      await page.getByRole('button', { name: 'Show' }).click();
      await rowOf(page, 'Signed in').first().waitFor({ state: 'detached' });
      const made = rowOf(page, 'night-shift').first();
      await made.getByText('test', { exact: false }).first().waitFor();
      await made.getByText(/role: operator/).waitFor();
    });
  });

  describe('the system', () => {
    it('shows the health of each part, which release runs in which replicas, and who one is', async () => {
      const page = await paybell.visit('/system');
      const health = page.getByRole('region', { name: 'Health' });
      const part = (name: string) =>
        health.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
      await part('Database').getByText('works').waitFor();
      await part('RabbitMQ').getByText('off').waitFor();
      await part('Provider')
        .getByText(/no money moves|sandbox/i)
        .first()
        .waitFor();
    });
  });

  describe('all of this together', () => {
    describeTheWhole(() => paybell);
  });
});
