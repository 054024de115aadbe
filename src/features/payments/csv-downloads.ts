import { Readable } from 'node:stream';

import {
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  StreamableFile,
} from '@nestjs/common';
import type { Response } from 'express';

import { AnswerAccess, CHECK_KEYS_EVERY_MS, type LongAnswer } from '../../platform/http/answer-access.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { Clock } from '../../ports/clock.ts';
import { Payments, type PaymentFilter, type StoredPayment } from '../../ports/payments.ts';
import { CSV_HEADER, csvLineOf } from './payment-csv.ts';

/** A download reads pages for minutes: more of them would take the database from requests and polls. */
const MAX_DOWNLOADS = 2;
/** How many payments are in memory at once. */
const PAGE = 200;
/** After this time, a slow client loses its place. */
const MAX_DOWNLOAD_MS = 3_600_000;

type Filter = Omit<PaymentFilter, 'limit'>;

interface Page {
  readonly payments: readonly StoredPayment[];
  readonly nextCursor: string | null;
}

interface Download extends LongAnswer {
  readonly response: Response;
  readonly until: number;
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
export class CsvDownloads implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly underWay = new Set<Download>();
  private readonly access = new AnswerAccess<Download>(({ response }) => breakOff(response));
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly payments: Payments,
    private readonly clock: Clock,
  ) {}

  /** Checks by time, not by page: a client that reads slowly could keep a page's payments, and its place, for hours. */
  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.check(), CHECK_KEYS_EVERY_MS);
  }

  /** A file may take an hour more, and its connection would hold up the stop. */
  onModuleDestroy(): void {
    clearInterval(this.timer);
    for (const { response } of this.underWay) breakOff(response);
  }

  /**
   * Sends all payments of this filter, up to a limit. An error in the middle of the file closes the connection. Throws
   * DownloadsFull, and as Payments does.
   */
  async open(filter: Filter, most: number | null, request: KeyedRequest): Promise<StreamableFile> {
    if (request.res !== undefined) this.takePlace(request, request.res);
    // Reads the first page before the headers are sent: a failure here is answered as a problem.
    const first = await this.payments.list({ ...filter, limit: Math.min(PAGE, most ?? PAGE) });
    const lines = this.lines(first, filter, most ?? Number.POSITIVE_INFINITY);
    const name = `payments-${this.clock.now().toISOString().slice(0, 19).replaceAll(':', '')}Z.csv`;
    return new StreamableFile(Readable.from(lines, { objectMode: false }), {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: `attachment; filename="${name}"`,
    });
  }

  private takePlace({ isKeyKnown, accessId }: KeyedRequest, response: Response): void {
    if (this.underWay.size >= MAX_DOWNLOADS) throw new DownloadsFull();
    // A destroyed response emits no `close` any more.
    if (response.destroyed) return;
    const until = this.clock.now().getTime() + MAX_DOWNLOAD_MS;
    const download = { response, until, isAllowed: isKeyKnown, accessId };
    this.underWay.add(download);
    response.once('close', () => this.underWay.delete(download));
  }

  private async *lines(first: Page, filter: Filter, most: number): AsyncGenerator<string> {
    yield CSV_HEADER;
    let left = most;
    for (let page = first; ;) {
      for (const payment of page.payments) yield csvLineOf(payment);
      left -= page.payments.length;
      if (page.nextCursor === null || left <= 0) return;
      page = await this.payments.list({
        ...filter,
        cursor: page.nextCursor,
        limit: Math.min(PAGE, left),
      });
    }
  }

  private check(): void {
    for (const { response, until } of this.underWay)
      if (this.clock.now().getTime() > until) breakOff(response);
    this.access.check(this.underWay, performance.now());
  }
}

/** After destroy() the system would still send the bytes that it has buffered. */
function breakOff({ socket }: Response): void {
  socket?.resetAndDestroy();
}
