import { NestFactory } from '@nestjs/core';
import type { OpenAPI3 } from 'openapi-typescript';

import { AppModule } from '../../src/app.module.ts';
import { Config } from '../../src/config/config.ts';
import { openApiOf } from '../../src/platform/http/openapi.ts';
import { PROVIDERS } from '../../src/providers/registered-providers.ts';

const KEY = Buffer.alloc(32);
/**
 * Turns on every setting that adds to the document. The service opens no connection: Paybell connects when Nest initialises
 * the modules.
 */
const SETTINGS = {
  PROVIDER: 'sandbox',
  API_KEYS: 'generate:generate-key-0123456789',
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  ENCRYPTION_KEY: KEY.toString('base64'),
  RABBITMQ_URL: 'amqp://127.0.0.1:1',
};

/** The OpenAPI document of the service, with every setting that adds to it. */
export async function openApiDocument(): Promise<OpenAPI3> {
  const root = await AppModule.with(new Config(SETTINGS, PROVIDERS), [SETTINGS.DATABASE_URL], KEY);
  const app = await NestFactory.create(root, { logger: false, abortOnError: false });
  return JSON.parse(JSON.stringify(openApiOf(app))) as OpenAPI3;
}
