import { Controller, Get, Post, Req } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { KeyedRequest } from '../../src/platform/http/keyed-request.ts';
import { Open } from '../../src/platform/http/open-route.ts';
import { ENV_KEY, ShellApp, STORED_KEY } from '../support/shell-app.ts';

@Controller()
class WhoController {
  @Get('api/who')
  who(@Req() request: KeyedRequest): object {
    return { name: request.apiKeyName };
  }
  @Post('sandbox/payments/:id/deposit')
  deposit(): object {
    return {};
  }
  @Get('not-under-api')
  elsewhere(): object {
    return {};
  }
  @Open()
  @Get('health/open')
  open(): object {
    return { open: true };
  }
}

let shell: ShellApp;

beforeAll(async () => {
  shell = await ShellApp.start([WhoController]);
});

afterAll(async () => {
  await shell.stop();
});

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${shell.url}${path}`, { headers });
}

function deposit(headers: Record<string, string>): Promise<Response> {
  return fetch(`${shell.url}/sandbox/payments/x/deposit`, { method: 'POST', headers });
}

describe('a key', () => {
  it.each([
    [{ 'x-api-key': ENV_KEY }, 'shop'],
    [{ authorization: `Bearer ${ENV_KEY}` }, 'shop'],
    [{ authorization: `bearer   ${ENV_KEY}` }, 'shop'],
    [{ 'x-api-key': STORED_KEY }, 'ops'],
    [{ authorization: `Bearer ${STORED_KEY}` }, 'ops'],
  ])('that is known passes and gives the request its name: %j', async (headers, name) => {
    expect(await (await get('/api/who', headers)).json()).toEqual({ name });
  });

  it.each<[Record<string, string>]>([
    [{}],
    [{ 'x-api-key': '' }],
    [{ 'x-api-key': 'wrong' }],
    [{ 'x-api-key': `${ENV_KEY}x` }],
    [{ 'x-api-key': `${ENV_KEY}, ${ENV_KEY}` }],
    [{ authorization: 'Bearer' }],
    [{ authorization: 'Bearer wrong' }],
    [{ authorization: `Basic ${Buffer.from(`x:${ENV_KEY}`).toString('base64')}` }],
    [{ authorization: ENV_KEY }],
    [{ 'x-api-key': 'x'.repeat(8_000) }],
  ])('that is missing or wrong is a 401 that says how to send it: %#', async (headers) => {
    const answer = await get('/api/who', headers);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="paybell"');
    const body = (await answer.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ status: 401, success: false, code: 'unauthorized' });
    expect(body['detail']).toContain('x-api-key: KEY');
    expect(JSON.stringify(body)).not.toContain('a-key-of');
  });

  it.each(['/api/who', '/API/who', '/api/who/', '/Api/WHO?x=/health', '/not-under-api'])(
    'is needed however the path is written: %s',
    async (path) => {
      expect((await get(path)).status).toBe(401);
    },
  );

  it('is needed for the sandbox too', async () => {
    expect((await deposit({})).status).toBe(401);
    expect((await deposit({ 'x-api-key': ENV_KEY })).status).toBe(201);
  });

  it('is not needed for what is marked open', async () => {
    expect(await (await get('/health/open')).json()).toEqual({ open: true });
  });

  it('that is not known is neither right nor wrong while the database is down', async () => {
    const fresh = await ShellApp.start([WhoController]);
    fresh.storedKeys.isDown = true;
    const unknown = await fetch(`${fresh.url}/api/who`, { headers: { 'x-api-key': STORED_KEY } });
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await unknown.json()).toMatchObject({ code: 'database_unavailable' });
    expect((await fresh.ask('/api/who')).status).toBe(200);
    await fresh.stop();
  });
});
