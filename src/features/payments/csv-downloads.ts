import { Readable } from 'node:stream';

import { Injectable, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';

import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { Clock } from '../../ports/clock.ts';
import { Payments, type PaymentFilter, type StoredPayment } from '../../ports/payments.ts';
import { CSV_HEADER, csvLineOf } from './payment-csv.ts';

/** Each reads pages one after another for minutes: more of them would take the database from requests and polls. */
const MAX_DOWNLOADS = 2;
/** Payments that are in memory at once. */
const PAGE = 200;
/** A slow client gives its place up after this. */
const MAX_DOWNLOAD_MS = 3_600_000;

type Filter = Omit<PaymentFilter, 'limit'>;

interface Page {
  readonly payments: readonly StoredPayment[];
  readonly nextCursor: string | null;
}

/** This process has reached its limit of CSV downloads. */
export class DownloadsFull extends Error {
  readonly code = 'downloads_full';
  constructor() {
    super('This process makes as many CSV files as it can.');
  }
}

/** Payments as CSV files: page by page as fast as the client reads, each page in a statement of its own. */
@Injectable()
export class CsvDownloads {
  private underWay = 0;

  constructor(
    private readonly payments: Payments,
    private readonly clock: Clock,
  ) {}

  /** All payments of this filter, or so many. An error in mid-file closes the connection. Throws DownloadsFull and as Payments. */
  async open(filter: Filter, most: number | null, request: KeyedRequest): Promise<StreamableFile> {
    if (request.res !== undefined) this.takePlace(request.res);
    // Before the headers are sent: what fails here is answered as a problem.
    const first = await this.payments.list({ ...filter, limit: Math.min(PAGE, most ?? PAGE) });
    const lines = this.lines(first, filter, most ?? Number.POSITIVE_INFINITY, request.isKeyKnown);
    const name = `payments-${this.clock.now().toISOString().slice(0, 19).replaceAll(':', '')}Z.csv`;
    return new StreamableFile(Readable.from(lines, { objectMode: false }), {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: `attachment; filename="${name}"`,
    });
  }

  private takePlace(response: Response): void {
    if (this.underWay >= MAX_DOWNLOADS) throw new DownloadsFull();
    // A destroyed response emits no further `close`.
    if (response.destroyed) return;
    this.underWay += 1;
    response.once('close', () => {
      this.underWay -= 1;
    });
  }

  private async *lines(
    first: Page,
    filter: Filter,
    most: number,
    isKeyKnown: KeyedRequest['isKeyKnown'],
  ): AsyncGenerator<string> {
    const until = this.clock.now().getTime() + MAX_DOWNLOAD_MS;
    yield CSV_HEADER;
    let left = most;
    for (let page = first; ;) {
      for (const payment of page.payments) yield csvLineOf(payment);
      left -= page.payments.length;
      if (page.nextCursor === null || left <= 0) return;
      if (this.clock.now().getTime() > until) throw new Error('a CSV download took too long');
      if ((await isKeyKnown?.()) === false) throw new Error('the API key of a CSV download was revoked');
      page = await this.payments.list({
        ...filter,
        cursor: page.nextCursor,
        limit: Math.min(PAGE, left),
      });
    }
  }
}
