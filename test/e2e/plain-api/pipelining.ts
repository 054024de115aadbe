import { setTimeout as sleep } from 'node:timers/promises';

import { Agent, request as undiciRequest } from 'undici';
import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { PrometheusText } from '../../support/prometheus-text.ts';
import { quoteRequest } from '../../../tools/testkit/provider-objects.ts';
import { descriptorsOf, RawConnection, requestText } from '../../support/raw-connection.ts';
import type { Stage } from '../../support/stage.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { plainPaybell } from './plain-paybell.ts';

const FILE = '/docs/swagger-ui-bundle.js';
const FILE_FIRST = requestText(FILE);

export function pipelining(): void {
  describe('a connection with many requests', () => {
    let stage: Stage;
    let app: SharedService;
    let key: Record<string, string>;

    beforeAll(async () => {
      ({ stage, app } = await plainPaybell());
      key = { 'x-api-key': app.apiKey };
    });

    async function figure(name: string): Promise<number> {
      return new PrometheusText(await (await fetch(`${app.url}/metrics`)).text()).value(name) ?? 0;
    }

    function quoteText(): string {
      const body = JSON.stringify(quoteRequest());
      const headers = { ...key, 'content-type': 'application/json', 'content-length': String(body.length) };
      return requestText('/api/quote', headers, 'POST') + body;
    }

    /** Sends all requests at once on each connection, reads nothing, and leaves. */
    async function flood(connections: number, text: string): Promise<void> {
      const floods = await Promise.all(
        Array.from({ length: connections }, () => RawConnection.open(app.url)),
      );
      for (const connection of floods) connection.send(text);
      await sleep(300);
      for (const connection of floods) connection.destroy();
    }

    describe('requests that are queued behind an answer nobody reads', () => {
      it.each([FILE, '/openapi.json', '/nothing-here'])(
        'leave no descriptor behind: %s',
        async (path) => {
          const before = descriptorsOf(app.pid);
          await flood(5, requestText(path).repeat(300));
          await waitFor(() => descriptorsOf(app.pid) <= before + 2);
          expect((await fetch(`${app.url}/health/live`)).status).toBe(200);
        },
        30_000,
      );

      it('leave no stream behind, alone, behind another request, and before a body that is not read', async () => {
        const stream = requestText('/api/events/stream', key);
        const body = 'x'.repeat(100_000);
        const headers = { ...key, 'content-type': 'application/json', 'content-length': String(body.length) };
        const large = requestText('/api/quote', headers, 'POST') + body;
        for (const text of [stream.repeat(300), FILE_FIRST + stream.repeat(300), stream + large])
          await flood(5, text);
        await sleep(3_000);
        await waitFor(async () => (await figure('paybell_streams')) === 0);
      });

      it('are not executed', async () => {
        const before = await stage.countPayments();
        await flood(1, requestText('/api/events/stream', key) + quoteText().repeat(5));
        await sleep(500);
        expect(await stage.countPayments()).toBe(before);
      });

      it('hold one descriptor a connection while the client stays', async () => {
        const before = descriptorsOf(app.pid);
        const connections = await Promise.all(Array.from({ length: 60 }, () => RawConnection.open(app.url)));
        for (const connection of connections) connection.send(requestText(FILE));
        await sleep(500);
        expect(descriptorsOf(app.pid) - before).toBeLessThanOrEqual(61);
      });
    });

    describe('requests that are sent before the answer to the one before was read', () => {
      it('are answered in turn, each once', async () => {
        const before = await stage.countPayments();
        const connection = (await RawConnection.open(app.url)).read();
        connection.send(requestText('/api/chains', key) + quoteText() + requestText('/health/live'));
        await waitFor(() => connection.statuses.length === 3);
        expect(connection.statuses).toEqual([200, 200, 200]);
        expect(connection.text).toMatch(/Ethereum[\s\S]*depositAddress[\s\S]*"status":"ok"/);
        expect(await stage.countPayments()).toBe(before + 1);
      });

      it('end the connection when there are too many of them', async () => {
        const connection = (await RawConnection.open(app.url)).read();
        connection.send(requestText('/api/events/stream', key) + requestText('/health/live').repeat(40));
        await connection.whenClosed(5_000);
        await waitFor(async () => (await figure('paybell_streams')) === 0);
      });
    });

    describe('a client that sends its next request once it has read the answer', () => {
      it('is never refused, a hundred times, whatever the answers are', async () => {
        const agent = new Agent({ connections: 1, pipelining: 1 });
        const ask = async (path: string): Promise<void> => {
          const url = `${app.url}${path}`;
          const { statusCode, body } = await undiciRequest(url, { dispatcher: agent, headers: key });
          await body.arrayBuffer();
          if (statusCode >= 500) throw new Error(`${path}: ${statusCode}`);
        };
        for (let round = 0; round < 100; round += 1) {
          for (const path of ['/health/live', '/api/chains', '/nothing-here']) await ask(path);
          if (round % 10 === 0) await ask(FILE);
        }
        await agent.close();
      });
    });
  });
}
