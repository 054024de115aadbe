import type { OpenAPI3 } from 'openapi-typescript';

import { freePort } from '../testkit/free-port.ts';
import { PaybellProcess } from '../testkit/paybell-process.ts';
import { waitFor } from '../testkit/wait-for.ts';

const API_KEY = 'generate-key-0123456789';
/** Nothing listens there: the document needs neither a database nor a broker. */
const NOWHERE = '127.0.0.1:1';

/** The OpenAPI document of the built service, with all that its settings can add. */
export async function openApiDocument(): Promise<OpenAPI3> {
  const port = await freePort();
  const paybell = new PaybellProcess({
    port,
    apiKey: API_KEY,
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
    return await waitFor(async () => {
      const answer = await fetch(`${paybell.url}/openapi.json`);
      return answer.ok ? ((await answer.json()) as OpenAPI3) : null;
    });
  } finally {
    await paybell.kill9();
  }
}
