import { EventEmitter, once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { readReport } from '../../../src/domain/payment/report.ts';
import { CsvDownloads } from '../../../src/features/payments/csv-downloads.ts';
import { PaymentsController } from '../../../src/features/payments/payments.controller.ts';
import { HandOver } from '../../../src/features/payments/hand-over.ts';
import { PaymentsService } from '../../../src/features/payments/payments.service.ts';
import type { KeyedRequest } from '../../../src/platform/http/keyed-request.ts';
import { StoreUnavailable } from '../../../src/ports/payments.ts';
import { FeatureApp } from '../../support/feature-app.ts';
import { paymentToAdd } from '../../support/payment-to-add.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

export function csvSuite(): void {
  describe('payments as CSV', () => {
    const CSV = { accept: 'text/csv' };
    const HEADER =
      'quoteId,orderId,status,late,tracking,provider,createdAt,expiresAt,updatedAt,originChain,originToken,originAmount,' +
      'destinationChain,destinationToken,destinationAmount,depositAddress,recipient,transactions,sequence,resolution,metadata,' +
      'verification,completedBy,amountAsked,amountCame,amountPromised,amountArrived,match';
    const QUOTE = {
      send: {
        depositAddress: '0xd1',
        chain: { id: 8453, name: 'Base' },
        token: { symbol: 'USDC' },
        amount: '25.42',
      },
      receive: { chain: { id: 42161 }, token: { address: '0xa1' }, estimatedAmount: '25.300000000000000001' },
      recipient: '0x2e',
    };
    const REPORT = {
      status: 'COMPLETED',
      deposit: { txHash: '0xin', from: '0xff', further: [{ sweepTxHash: '0xsweep' }] },
      execution: { outputTxHash: '0xout', steps: [{ txHash: '0xin' }, { txHash: '0xout' }] },
    };

    let app: FeatureApp;

    beforeEach(async () => {
      app = await new FeatureApp().start(PaymentsController, [PaymentsService, HandOver, CsvDownloads]);
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      await app.stop();
    });

    async function addMany(count: number): Promise<string[]> {
      const ids = Array.from({ length: count }, (_none, index) => `q-${index}`);
      for (const id of ids) await app.payments.add(paymentToAdd(id));
      return ids.reverse();
    }

    /** The lines after the header. */
    function linesOf(text: string): string[] {
      const [header, ...lines] = text.split('\r\n');
      expect(header).toBe(HEADER);
      expect(lines.pop()).toBe('');
      return lines;
    }

    const idsOf = (text: string): (string | undefined)[] => linesOf(text).map((line) => line.split(',')[0]);

    describe('the list of payments as CSV', () => {
      it('has a header and a line for each payment, with every column', async () => {
        const text = JSON.stringify(REPORT);
        const expiresAt = new Date('2026-11-20T12:05:00.000Z');
        const paid = paymentToAdd('q-1', {
          orderId: 'A-1',
          metadata: { shop: 'eu', note: 'say "hi"' },
          expiresAt,
          quoteText: JSON.stringify(QUOTE),
          report: readReport(REPORT, text),
        });
        await app.payments.add(paid);
        await app.payments.resolve('q-1', { reason: 'refunded', note: 'a, b', by: 'anna' });
        await app.payments.add(paymentToAdd('q-2', { quoteText: null }));
        const [bare, full] = linesOf((await app.get('/api/payments', CSV)).text);
        const at = '2026-11-20T12:00:00.000Z';
        expect(bare).toBe(`q-2,,AWAITING_DEPOSIT,false,active,http,${at},,${at},,,,,,,,,,1,,,,,,,,,`);
        const resolution = `{""reason"":""refunded"",""note"":""a, b"",""by"":""anna"",""at"":""${at}""}`;
        expect(full).toBe(
          `q-1,A-1,COMPLETED,false,watching,http,${at},${expiresAt.toISOString()},${at},Base,USDC,25.42,42161,0xa1,` +
            `25.300000000000000001,0xd1,0x2e,0xin 0xout 0xsweep,3,"${resolution}",` +
            `"{""shop"":""eu"",""note"":""say \\""hi\\""""}",,word,25.42,,25.300000000000000001,,unknown`,
        );
      });

      it('is UTF-8 with a byte order mark, to be saved under a name with its time', async () => {
        await app.payments.add(paymentToAdd('q-1', { orderId: 'Käse' }));
        const response = await fetch(`${app.url}/api/payments`, { headers: CSV });
        expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
        expect(response.headers.get('content-disposition')).toBe(
          'attachment; filename="payments-2026-11-20T120000Z.csv"',
        );
        expect(response.headers.get('vary')?.toLowerCase()).toContain('accept');
        const bytes = Buffer.from(await response.arrayBuffer());
        expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
        expect(bytes.toString()).toContain('q-1,Käse,');
      });

      it('has all payments of the same filter, page by page, newest first', async () => {
        const ids = await addMany(450);
        expect(idsOf((await app.get('/api/payments?orderId=A-7', CSV)).text)).toEqual(ids);
        const asked = { orderId: 'A-7', limit: 200 };
        expect(app.payments.filters).toMatchObject([asked, asked, asked]);
      });

      describe('that a client does not read', () => {
        let downloads: CsvDownloads;
        let breakOff: jest.Mock;

        async function openFor(isKeyKnown: () => Promise<boolean>): Promise<void> {
          breakOff = jest.fn();
          const res = Object.assign(new EventEmitter(), { socket: { resetAndDestroy: breakOff } });
          await downloads.open({}, null, { isKeyKnown, accessId: 'k', res } as unknown as KeyedRequest);
        }

        beforeEach(() => {
          jest.useFakeTimers();
          downloads = new CsvDownloads(app.payments, app.clock);
          downloads.onApplicationBootstrap();
        });
        afterEach(() => {
          downloads.onModuleDestroy();
          jest.useRealTimers();
        });

        it('breaks off within a second once its key is revoked', async () => {
          let isKnown = true;
          await openFor(async () => isKnown);
          await jest.advanceTimersByTimeAsync(5_000);
          expect(breakOff).not.toHaveBeenCalled();
          isKnown = false;
          await jest.advanceTimersByTimeAsync(1_000);
          expect(breakOff).toHaveBeenCalledTimes(1);
        });

        it('breaks off once the process stops', async () => {
          await openFor(async () => true);
          downloads.onModuleDestroy();
          expect(breakOff).toHaveBeenCalledTimes(1);
        });

        it('breaks off once it has taken an hour', async () => {
          await openFor(async () => true);
          app.clock.advance(3_600_000);
          await jest.advanceTimersByTimeAsync(1_000);
          expect(breakOff).not.toHaveBeenCalled();
          app.clock.advance(1);
          await jest.advanceTimersByTimeAsync(1_000);
          expect(breakOff).toHaveBeenCalledTimes(1);
        });
      });

      it('goes on after a cursor, and ends after a limit', async () => {
        const ids = await addMany(12);
        expect(idsOf((await app.get(`/api/payments?cursor=${ids[4]}`, CSV)).text)).toEqual(ids.slice(5));
        const text = (await app.get(`/api/payments?cursor=${ids[4]}&limit=3`, CSV)).text;
        expect(idsOf(text)).toEqual(ids.slice(5, 8));
      });

      it('asks after a page that has fewer than its limit for what is left', async () => {
        const ids = await addMany(12);
        const list = app.payments.list.bind(app.payments);
        jest.spyOn(app.payments, 'list').mockImplementationOnce((filter) => list({ ...filter, limit: 2 }));
        expect(idsOf((await app.get('/api/payments?limit=3', CSV)).text)).toEqual(ids.slice(0, 3));
      });

      it.each([
        [undefined, 'application/json'],
        ['*/*', 'application/json'],
        ['application/json', 'application/json'],
        ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json'],
        ['text/csv;q=0.1, application/json', 'application/json'],
        ['image/png', 'application/json'],
        ['text/csv', 'text/csv'],
        ['application/json;q=0.5, text/csv', 'text/csv'],
        ['text/*', 'text/csv'],
      ])('is answered to Accept: %s as %s', async (accept, type) => {
        const headers: Record<string, string> = accept === undefined ? {} : { accept };
        const answer = await app.get('/api/payments', headers);
        expect(answer.headers.get('content-type')).toContain(type);
      });

      it('is only headers to HEAD', async () => {
        await addMany(450);
        const response = await fetch(`${app.url}/api/payments`, { method: 'HEAD', headers: CSV });
        expect([response.status, await response.text()]).toEqual([200, '']);
        expect(app.payments.filters).toHaveLength(1);
      });
    });

    describe('a CSV file that cannot be made', () => {
      it('is a problem when it fails at once', async () => {
        const unknown = await app.get('/api/payments?cursor=none', CSV);
        expect([unknown.status, unknown.json.code]).toEqual([400, 'invalid_cursor']);
        const wrong = await app.get('/api/payments?late=maybe', CSV);
        expect([wrong.status, wrong.json.errors[0].field]).toEqual([400, 'late']);
        jest.spyOn(app.payments, 'list').mockRejectedValueOnce(new StoreUnavailable());
        const away = await app.get('/api/payments', CSV);
        expect([away.status, away.json.code, away.headers.get('content-disposition')]).toEqual([
          503,
          'database_unavailable',
          null,
        ]);
      });

      it('breaks off when it fails in the middle: no client takes it for a whole one', async () => {
        const ids = await addMany(450);
        const { payments } = await app.payments.list({ limit: 200 });
        jest
          .spyOn(app.payments, 'list')
          .mockResolvedValueOnce({ payments, nextCursor: ids[199] ?? '' })
          .mockRejectedValueOnce(new StoreUnavailable());
        await expect(app.get('/api/payments', CSV)).rejects.toThrow();
      });
    });

    describe('CSV files at the same time', () => {
      /** A file without an end, which lasts as long as the client reads. */
      function neverEnding(): void {
        const page = { payments: [], nextCursor: 'on' };
        jest
          .spyOn(app.payments, 'list')
          .mockImplementation(() => new Promise((resolve) => setTimeout(() => resolve(page), 1)));
      }

      /**
       * A client that reads nothing of its file, until it leaves. `fetch` would not do: a collected response may leave at any
       * time.
       */
      async function open(): Promise<{ status: number | undefined; leave: () => void }> {
        const client = request(`${app.url}/api/payments`, { headers: CSV, agent: false }).end();
        const [answer] = (await once(client, 'response')) as [IncomingMessage];
        return { status: answer.statusCode, leave: () => void client.destroy() };
      }

      it('are two, and a third learns when to try again, until a client leaves', async () => {
        neverEnding();
        const clients = [await open(), await open()];
        expect(clients.map(({ status }) => status)).toEqual([200, 200]);
        const third = await app.get('/api/payments', CSV);
        expect([third.status, third.json.code, third.headers.get('retry-after')]).toEqual([
          503,
          'downloads_full',
          '5',
        ]);
        expect((await app.get('/api/payments')).status).toBe(200);
        clients[0]?.leave();
        await waitFor(async () => {
          const next = await open();
          clients.push(next);
          return next.status === 200;
        });
        for (const { leave } of clients) leave();
      });

      it('do not hold their places once they are read, or have failed', async () => {
        await addMany(3);
        for (let n = 0; n < 5; n += 1) {
          expect(idsOf((await app.get('/api/payments', CSV)).text)).toHaveLength(3);
          expect((await app.get('/api/payments?cursor=none', CSV)).status).toBe(400);
        }
      });
    });
  });
}
