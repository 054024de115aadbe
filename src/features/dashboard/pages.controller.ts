import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';

import { DashboardPage } from '../../platform/http/dashboard-page.ts';
import { Open } from '../../platform/http/open-route.ts';
import { PublicOrigin } from '../../platform/http/public-origin.ts';
import { type PageFile, PageFiles } from './page-files.ts';
import { pageHeaders } from './page-headers.ts';

const PAGES = '/dashboard';
const OK = 200;
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Serves the pages. They contain no data, so that they need no API key: they request all data from the API. */
@Open()
@ApiExcludeController()
@Controller()
export class PagesController {
  constructor(
    private readonly files: PageFiles,
    private readonly answer: DashboardPage,
    private readonly origin: PublicOrigin,
  ) {}

  @Get()
  start(@Res() response: Response): void {
    response.redirect(PAGES);
  }

  /** Pages have paths of their own: one page answers every path that names no file. */
  @Get('dashboard{/*path}')
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    const name = request.path.slice(PAGES.length + 1);
    const file = this.files.file(name);
    if (file !== null) return this.sendFile(request, response, file);
    if (name.startsWith('assets/')) throw new NotFoundException();
    this.answer.send(request, response, OK);
  }

  private async sendFile(request: Request, response: Response, file: PageFile): Promise<void> {
    response.set(pageHeaders(null, this.origin.isHttps(request)));
    response.set({ 'content-type': file.type, etag: file.etag, vary: 'accept-encoding' });
    if (file.isHashed) response.set('cache-control', IMMUTABLE);
    const gzipped = request.acceptsEncodings('gzip') === false ? null : await file.gzipped();
    if (gzipped !== null) response.set('content-encoding', 'gzip');
    response.send(gzipped ?? file.bytes);
  }
}
