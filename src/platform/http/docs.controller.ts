import { Controller, Get, NotFoundException, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';

import { ACCESS, Allow } from './access.ts';
import { ApiDescription, type CachedFile } from './api-description.ts';
import { OpenBy } from './open-route.ts';

/** Serves Swagger UI at /docs, and the OpenAPI document. */
@OpenBy('docs')
@Allow(ACCESS.read)
@ApiExcludeController()
@Controller()
export class DocsController {
  constructor(private readonly description: ApiDescription) {}

  @Get('openapi.json')
  async document(@Res() response: Response): Promise<void> {
    send(response, await this.description.document());
  }

  @Get('docs')
  page(@Req() request: Request, @Res() response: Response): void {
    send(response, this.description.page(request.path.endsWith('/') ? './' : './docs/'));
  }

  @Get('docs/index.html')
  index(@Res() response: Response): void {
    send(response, this.description.page('./'));
  }

  @Get('docs/:file')
  file(@Param('file') name: string, @Res() response: Response): void {
    const file = this.description.file(name);
    if (file === null) throw new NotFoundException();
    send(response, file);
  }
}

function send(response: Response, { type, bytes, etag }: CachedFile): void {
  response.set({ 'content-type': type, etag }).send(bytes);
}
