import type { DynamicModule, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';

import type { Config } from '../../config/config.ts';
import { ApiDescription } from '../http/api-description.ts';
import { ApiKeyChecker } from '../http/api-key-middleware.ts';
import { configureHttp } from '../http/configure-http.ts';

/** The application of a root module with its HTTP pipeline; not initialised, and listening on no port. */
export async function createApp(
  module: DynamicModule,
  { trustedProxies }: Config,
  logger: LoggerService,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(module, new ExpressAdapter(), {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  if (trustedProxies.length > 0) app.set('trust proxy', [...trustedProxies]);
  configureHttp(app, app.get(ApiKeyChecker));
  app.get(ApiDescription).describe(app);
  return app;
}
