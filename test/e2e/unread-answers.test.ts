import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';

import { ACCESS, Allow } from '../../src/platform/http/access.ts';
import type { SharedService } from '../support/shared-process.ts';
import { openLargePages, PAYMENTS } from '../support/large-pages.ts';
import { countHeld, RawConnection, requestText } from '../support/raw-connection.ts';
import { ENV_KEY, ShellApp } from '../support/shell-app.ts';
import type { Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const MIB = 1_024 * 1_024;
const PAGE = 4 * MIB;
const LARGE = 24 * MIB;
const KEY = { 'x-api-key': ENV_KEY };

@Allow(ACCESS.read)
@Controller('api')
class LargeController {
  @Get('large')
  large(): object {
    return { text: 'x'.repeat(LARGE) };
  }
  @Get('page')
  page(): object {
    return { text: 'x'.repeat(PAGE - 100) };
  }
  @Get('late')
  async late(): Promise<object> {
    await sleep(300);
    return this.page();
  }
  @Get('slow')
  async slow(): Promise<object> {
    await sleep(1_500);
    return {};
  }
}

describe('an answer that nobody reads', () => {
  let shell: ShellApp;
  beforeAll(async () => {
    shell = await ShellApp.start([LargeController], [], { unreadMs: 500 });
  });
  afterAll(() => shell.stop());

  function countOpen(): Promise<number> {
    return new Promise((resolve, reject) => {
      shell.app.getHttpServer().getConnections((error: Error | null, count: number) => {
        if (error) reject(error);
        else resolve(count);
      });
    });
  }

  it('ends its connection, whatever the client goes on sending', async () => {
    const [quiet, talking] = [await RawConnection.open(shell.url), await RawConnection.open(shell.url)];
    for (const connection of [quiet, talking]) connection.send(requestText('/api/large', KEY));
    const talk = setInterval(() => talking.send('\r\n'), 100);
    await waitFor(async () => (await countOpen()) === 0);
    clearInterval(talk);
  });

  it('is not one that is read slowly and steadily', async () => {
    const unreadMs = 1_500;
    const slow = await ShellApp.start([LargeController], [], { unreadMs });
    const connection = await RawConnection.open(slow.url);
    connection.send(requestText('/api/large', KEY));
    const begin = performance.now();
    let received = 0;
    while (received < LARGE && !connection.isClosed) {
      received += (connection.socket.read() as Buffer | null)?.length ?? 0;
      await sleep(12);
    }
    expect(received).toBeGreaterThanOrEqual(LARGE);
    expect(performance.now() - begin).toBeGreaterThan(2 * unreadMs);
    connection.destroy();
    await slow.stop();
  });

  it('is not one that takes long to be made, nor a connection that waits for its next request', async () => {
    const connection = (await RawConnection.open(shell.url)).read();
    connection.send(requestText('/api/slow', KEY));
    await waitFor(() => connection.statuses.length === 1);
    await sleep(1_500);
    connection.send(requestText('/api/slow', KEY));
    await waitFor(() => connection.statuses.length === 2);
  });

  it('gives way to newer ones of the same key when together they hold too much', async () => {
    const patient = await ShellApp.start([LargeController], []);
    const connections = [];
    for (let index = 0; index < 40; index += 1) {
      const connection = await RawConnection.open(patient.url);
      connection.send(requestText('/api/page', KEY));
      connections.push(connection);
    }
    const count = (): Promise<number> =>
      new Promise((resolve) => {
        patient.app.getHttpServer().getConnections((_none: unknown, open: number) => resolve(open));
      });
    await waitFor(async () => (await count()) <= 16);
    for (const connection of connections) connection.destroy();
    await patient.stop();
  });

  it('gives way to none whose client has left before it was made', async () => {
    const patient = await ShellApp.start([LargeController], []);
    const reader = await RawConnection.open(patient.url);
    reader.send(requestText('/api/large', KEY));
    const gone = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(patient.url)));
    for (const connection of gone) connection.send(requestText('/api/late', KEY));
    await sleep(100);
    for (const connection of gone) connection.destroy();
    await sleep(1_000);
    expect(countHeld([reader])).toBe(1);
    reader.destroy();
    await patient.stop();
  });
});

describe('pages', () => {
  let stage: Stage;
  let app: SharedService;

  beforeAll(async () => {
    ({ stage, app } = await openLargePages());
  });

  async function readAll(path: string, cursorName: string): Promise<{ items: string[]; largest: number }> {
    const items: string[] = [];
    let largest = 0;
    for (let cursor: string | null = ''; cursor !== null;) {
      const text = await (await app.fetch(`${path}${cursor && `&${cursorName}=${cursor}`}`)).text();
      largest = Math.max(largest, Buffer.byteLength(text));
      const page = JSON.parse(text) as {
        data: { id?: string; quoteId?: string }[];
        nextCursor?: string | null;
      };
      items.push(...page.data.map(({ id, quoteId }) => id ?? quoteId ?? ''));
      cursor = page.data.length === 0 ? null : (page.nextCursor ?? null);
    }
    return { items, largest };
  }

  it.each([
    ['/api/events?limit=1000', 'after', 300 + PAYMENTS],
    ['/api/payments?limit=100', 'cursor', PAYMENTS],
  ])(
    'are 4 MiB at most, and nothing is passed over: %s',
    async (path, cursorName, count) => {
      const { items, largest } = await readAll(path, cursorName);
      expect([new Set(items).size, items.length]).toEqual([count, count]);
      expect(largest).toBeLessThanOrEqual(PAGE);
      expect(largest).toBeGreaterThan(PAGE / 2);
    },
    60_000,
  );

  it("hold a payment's events in order", async () => {
    const [row] = await stage.database.query<{ quote_id: string }>(
      `SELECT p.quote_id FROM payment p JOIN event e ON e.payment_id = p.id WHERE e.sequence = 300`,
    );
    const path = `/api/payments/${row?.quote_id}/events`;
    const { items, largest } = await readAll(`${path}?`, 'cursor');
    const rows = await stage.database.query<{ id: string }>(
      `SELECT e.id FROM event e JOIN payment p ON p.id = e.payment_id WHERE p.quote_id = $1 ORDER BY e.sequence`,
      [row?.quote_id],
    );
    expect(items).toEqual(rows.map(({ id }) => id));
    expect(largest).toBeLessThanOrEqual(PAGE);
    expect((await app.fetch(`${path}?cursor=nonsense`)).status).toBe(400);
    expect((await app.fetch('/api/payments/unknown/events?cursor=ZTE')).status).toBe(404);
  });
});
