import { fileURLToPath } from 'node:url';

import type { OpenAPI3 } from 'openapi-typescript';

import { freePort } from '../testkit/free-port.ts';
import { PaybellProcess } from '../testkit/paybell-process.ts';

const API_KEY = 'generate-key-0123456789';
/** Nothing listens there: the document needs neither a database nor a broker. */
const NOWHERE = '127.0.0.1:1';
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const TYPESCRIPT = new URL('typescript.js', import.meta.url).href;
const READY_WITHIN_MS = 60_000;

/** The OpenAPI document of the service, with all that its settings can add. */
export async function openApiDocument(): Promise<OpenAPI3> {
  const port = await freePort();
  const paybell = new PaybellProcess({
    port,
    apiKey: API_KEY,
    main: MAIN,
    nodeArgs: ['--import', TYPESCRIPT],
    env: {
      PROVIDER: 'sandbox',
      API_KEYS: `generate:${API_KEY}`,
      DATABASE_URL: `postgres://nobody@${NOWHERE}/none`,
      RABBITMQ_URL: `amqp://${NOWHERE}`,
      ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
      LOG_LEVEL: 'fatal',
    },
  });
  try {
    await paybell.waitReady(READY_WITHIN_MS, ({ status }) => Promise.resolve(status === 503));
    return (await (await paybell.fetch('/openapi.json')).json()) as OpenAPI3;
  } finally {
    await paybell.kill9();
  }
}
