import { randomBytes } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { isSignedWith } from '../support/public-key.ts';
import { SharedProcess, type SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

const [OLD_KEY, KEY] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

let stage: Stage;
let app: SharedService;
const shared = new SharedProcess();

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startIn(shared, { ENCRYPTION_KEY: OLD_KEY });
});

async function ask(method: string, path: string, body?: unknown, status = 200): Promise<Json> {
  const init = body === undefined ? {} : { body };
  return jsonOf(await app.fetch(`/api/webhook-endpoints${path}`, { method, ...init }), status);
}

async function withShop(test: (shop: HttpReceiver) => Promise<void>): Promise<void> {
  const shop = await HttpReceiver.start();
  try {
    await test(shop);
  } finally {
    await shop.close();
  }
}

async function add(shop: HttpReceiver, more: Json = {}): Promise<Json & { id: string; secret: string }> {
  const body = { url: `${shop.url}/hook`, ...more };
  return (await ask('POST', '', body, 201)) as Json & { id: string; secret: string };
}

function typesOf(shop: HttpReceiver): unknown[] {
  return shop.requests.map(({ json }) => (json as Json)['type']);
}

describe('a webhook endpoint', () => {
  it('is sent what was pending once it is enabled again, in order, and not what happened meanwhile', async () => {
    await withShop(async (shop) => {
      shop.answer(() => ({ status: 500 }));
      const { id } = await add(shop);
      const quoteId = await stage.quote(app);
      await shop.waitFor(() => true);
      stage.say([quoteId], 'DEPOSIT_RECEIVED');
      await waitFor(async () => (await stage.eventsOf(app, quoteId)).length === 2);
      expect(await ask('PATCH', `/${id}`, { enabled: false })).toMatchObject({ enabled: false });
      stage.say([quoteId], 'EXECUTING');
      await waitFor(async () => (await stage.eventsOf(app, quoteId)).length === 3);
      shop.answer(() => ({ status: 204 }));
      const refused = shop.requests.length;
      await ask('PATCH', `/${id}`, { enabled: true });
      await waitFor(() => typesOf(shop).includes('payment.deposit_received'));
      stage.say([quoteId], 'COMPLETED');
      await waitFor(() => typesOf(shop).includes('payment.completed'));
      expect(new Set(typesOf(shop).slice(refused))).toEqual(
        new Set(['payment.created', 'payment.deposit_received', 'payment.completed']),
      );
      expect(typesOf(shop).slice(-2)).toEqual(['payment.deposit_received', 'payment.completed']);
      await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'DELETE' });
    });
  });

  it('signs with both secrets after a rotation, so that a shop may take either', async () => {
    await withShop(async (shop) => {
      const { id, secret } = await add(shop, { eventTypes: ['payment.created'] });
      const beganAt = Date.now();
      const rotated = await ask('POST', `/${id}/rotate-secret`);
      const expiresAt = Date.parse(String(rotated['previousSecretExpiresAt']));
      expect((await ask('GET', `/${id}`))['previousSecretExpiresAt']).toBe(
        rotated['previousSecretExpiresAt'],
      );
      expect(expiresAt - beganAt).toBeGreaterThanOrEqual(86_400_000);
      await stage.quote(app);
      const { text, headers } = await shop.waitFor(() => true);
      expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
      for (const each of [secret, String(rotated['secret'])])
        expect(new Webhook(each).verify(text, headers as Record<string, string>)).toBeDefined();
      await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'DELETE' });
    });
  });

  it('with v1a is verified by its public key alone, and by both keys after a rotation', async () => {
    await withShop(async (shop) => {
      const { id, publicKey, secret } = await add(shop, {
        signature: 'v1a',
        eventTypes: ['payment.created'],
      });
      expect(secret).toBeNull();
      const rotated = await ask('POST', `/${id}/rotate-secret`);
      expect((await ask('GET', `/${id}`))['publicKey']).toBe(rotated['publicKey']);
      await stage.quote(app);
      const { body, headers } = await shop.waitFor(() => true);
      expect(headers['webhook-signature']).toMatch(/^v1a,\S+ v1a,\S+$/);
      for (const key of [publicKey, rotated['publicKey']])
        expect(isSignedWith(String(key), headers, body)).toBe(true);
      await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'DELETE' });
    });
  });

  it('keeps its secret while ENCRYPTION_KEY is changed: read at once, encrypted anew, and read without the old', async () => {
    await withShop(async (shop) => {
      const { id, secret } = await add(shop, { eventTypes: ['payment.created'] });
      const isVerified = async (): Promise<boolean> => {
        await ask('POST', `/${id}/test`);
        const got = shop.requests.at(-1);
        return new Webhook(secret).verify(got?.text ?? '', got?.headers as Record<string, string>) !== null;
      };
      await app.stop();
      app = await stage.startIn(shared, { ENCRYPTION_KEY: KEY, ENCRYPTION_KEY_PREVIOUS: OLD_KEY });
      expect(await isVerified()).toBe(true);
      await waitFor(() =>
        app.lines.some((line) => line.includes('encrypted with the present ENCRYPTION_KEY')),
      );
      expect(app.lines.join('\n')).not.toContain(secret.slice(6));
      await app.stop();
      app = await stage.startIn(shared, { ENCRYPTION_KEY: KEY });
      expect(await isVerified()).toBe(true);
      await app.stop();
      app = await stage.startIn(shared, { ENCRYPTION_KEY: OLD_KEY });
      const refused = await ask('POST', `/${id}/test`, undefined, 409);
      expect(refused).toMatchObject({ code: 'secret_unreadable' });
    });
  });
});
