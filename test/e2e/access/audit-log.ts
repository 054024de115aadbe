import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { jsonOf, type Stage } from '../../support/stage.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { ask, keyedPaybell, SECRETS } from './keyed-paybell.ts';

type Json = Record<string, unknown>;
type Named = keyof typeof SECRETS;
const IN_QUERY = 'token-that-stands-in-a-query';

export function auditLog(): void {
  describe('the audit log of a running Paybell', () => {
    let stage: Stage;
    let app: SharedService;

    beforeAll(async () => {
      ({ stage, app } = await keyedPaybell());
    });

    async function send(who: Named, method: string, path: string, body?: unknown): Promise<Json> {
      const answer = await ask(app, SECRETS[who], method, path, body);
      const text = await answer.text();
      return { status: answer.status, ...(text === '' ? {} : (JSON.parse(text) as Json)) };
    }

    async function entriesOf(query = 'limit=100'): Promise<Json[]> {
      const answer = await ask(app, SECRETS.admin, 'GET', `/api/audit?${query}`);
      return (await jsonOf(answer, 200))['data'] as Json[];
    }

    async function lastId(): Promise<number> {
      return Number((await entriesOf('limit=1')).at(0)?.['id'] ?? 0);
    }

    /** The entries added since then, oldest first. */
    async function since(id: number): Promise<unknown[]> {
      const entries = (await entriesOf()).filter((entry) => Number(entry['id']) > id).toReversed();
      return entries.map(({ who, role, via, address, action, target, values, status }) => {
        expect([who, via, address]).toEqual([role, 'api', '127.0.0.1']);
        return [who, action, target, values, status];
      });
    }

    it('has one entry for each change, with who, what and the values, and no secret', async () => {
      const before = await lastId();
      const url = `${stage.shop.url}/hook?token=${IN_QUERY}`;
      const shown = `${stage.shop.url}/hook?[redacted]`;
      const { id, secret } = await send('admin', 'POST', '/api/webhook-endpoints', {
        url,
        description: 'eu',
      });
      const path = `/api/webhook-endpoints/${String(id)}`;
      await send('admin', 'PATCH', path, { description: null, eventTypes: ['payment.created'] });
      const { secret: second } = await send('admin', 'POST', `${path}/rotate-secret`);
      await send('operator', 'POST', `${path}/test`);
      const quoteId = await quote();
      await send('shop', 'POST', '/api/payments', {
        quoteId,
        orderId: 'A-1',
        metadata: { shop: 'eu' },
        other: 1,
      });
      await send('operator', 'POST', '/api/payments', { quoteId, orderId: 'A-2' });
      await send('shop', 'POST', `/sandbox/payments/${quoteId}/deposit`);
      const deliveryId = await waitFor(async () => {
        const { data } = await send(
          'viewer',
          'GET',
          `/api/webhook-deliveries?endpointId=${String(id)}&state=delivered`,
        );
        return (data as Json[])[0]?.['id'];
      });
      await send('operator', 'POST', `/api/webhook-deliveries/${String(deliveryId)}/retry`);
      await send('operator', 'POST', `${path}/recover`, { since: '2026-01-01T00:00:00Z', dryRun: true });
      await send('admin', 'DELETE', path);
      const { key } = await send('admin', 'POST', '/api/keys', { name: 'web', role: 'shop' });
      await send('admin', 'DELETE', '/api/keys/web');
      expect(await since(before)).toEqual([
        ['admin', 'endpoint.create', id, { url: shown, description: 'eu' }, 201],
        ['admin', 'endpoint.change', id, { description: null, eventTypes: ['payment.created'] }, 200],
        ['admin', 'endpoint.rotate_secret', id, {}, 200],
        ['operator', 'endpoint.test', id, {}, 200],
        ['shop', 'payment.track', quoteId, { quoteId, orderId: 'A-1', metadata: { shop: 'eu' } }, 200],
        ['operator', 'payment.track', quoteId, { quoteId, orderId: 'A-2', previousOrderId: 'A-1' }, 200],
        ['shop', 'sandbox.deposit', quoteId, {}, 200],
        ['operator', 'delivery.retry', deliveryId, {}, 200],
        ['operator', 'endpoint.recover', id, { since: '2026-01-01T00:00:00Z', dryRun: true }, 200],
        ['admin', 'endpoint.delete', id, {}, 204],
        ['admin', 'key.create', 'web', { name: 'web', role: 'shop' }, 201],
        ['admin', 'key.revoke', 'web', {}, 204],
      ]);
      const secrets = [...Object.values(SECRETS), IN_QUERY, ...[secret, second, key].map(String)];
      const rows = await stage.database.query('SELECT * FROM audit_entry');
      for (const text of [JSON.stringify(rows), app.lines.join('\n')])
        expect(secrets.filter((each) => text.includes(each.replace('whsec_', '')))).toEqual([]);
    });

    async function quote(): Promise<string> {
      const body = {
        fromChainId: 1,
        toChainId: 8453,
        fromToken: NATIVE,
        toToken: NATIVE,
        amount: '0.05',
        recipient,
      };
      return String((await send('shop', 'POST', '/api/quote', body))['quoteId']);
    }

    it('has no key, token or secret that stands in a path or in a query, and neither has the log', async () => {
      const before = await lastId();
      const [key, token] = [`pb_${'k'.repeat(43)}`, `pbs_${'t'.repeat(65)}`];
      const secret = `whsec_${'s'.repeat(32)}`;
      await send('admin', 'DELETE', `/api/keys/${key}?key=${IN_QUERY}`);
      await send('admin', 'DELETE', `/api/sessions/${token}?token=${IN_QUERY}`);
      await send('operator', 'POST', `/api/webhook-deliveries/${secret}/retry?secret=${IN_QUERY}`);
      await send('admin', 'DELETE', `/api/webhook-endpoints/Bearer%20${IN_QUERY}`);
      await send('admin', 'POST', `/api/keys?key=${IN_QUERY}`, { name: key, role: 'shop' });
      expect(await since(before)).toEqual([
        ['admin', 'key.revoke', '[redacted]', {}, 400],
        ['admin', 'session.end', '[redacted]', {}, 400],
        ['operator', 'delivery.retry', '[redacted]', {}, 400],
        ['admin', 'endpoint.delete', 'Bearer [redacted]', {}, 404],
        ['admin', 'key.create', '[redacted]', {}, 400],
      ]);
      const rows = JSON.stringify(await stage.database.query('SELECT * FROM audit_entry'));
      for (const each of [key, token, secret, IN_QUERY]) expect(rows).not.toContain(each);
      for (const each of [key, token, secret, `=${IN_QUERY}`])
        expect(app.lines.join('\n')).not.toContain(each);
    });

    it('comes before the change: what cannot be written down is not done', async () => {
      await stage.database.query(FULL);
      const failed = await send('admin', 'POST', '/api/keys', { name: 'unwritten', role: 'shop' });
      await stage.database.query('DROP TRIGGER full_disk ON audit_entry');
      expect(failed).toMatchObject({ status: 503, code: 'database_unavailable' });
      expect(await stage.database.query(`SELECT 1 FROM api_key WHERE name = 'unwritten'`)).toEqual([]);
    });
  });
}

const NATIVE = '0x0000000000000000000000000000000000000000';
const recipient = '0x742d35cc6634c0532925a3b844bc454e4438f44e';

const FULL = `
  CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'; END $$;
  CREATE TRIGGER full_disk BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION full_disk()`;
