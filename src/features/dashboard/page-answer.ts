import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';

import { DashboardPage } from '../../platform/http/dashboard-page.ts';
import { PublicOrigin } from '../../platform/http/public-origin.ts';
import { PageFiles } from './page-files.ts';
import { pageHeaders } from './page-headers.ts';

const NOT_BUILT = 503;

/** Sends the built page, with a new nonce for each answer. */
@Injectable()
export class PageAnswer extends DashboardPage {
  constructor(
    private readonly files: PageFiles,
    private readonly origin: PublicOrigin,
  ) {
    super();
  }

  override send(request: Request, response: Response, status: number): void {
    const { html, nonce } = this.files.page();
    response.status(this.files.isBuilt ? status : NOT_BUILT);
    response.set(pageHeaders(nonce, this.origin.isHttps(request)));
    response.set({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' }).send(html);
  }
}
