import type { PaybellService } from '../../tools/testkit/paybell-process.ts';

export const DOCS = [
  '/docs',
  '/docs/',
  '/docs/index.html',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-init.js',
  '/docs/favicon-32x32.png',
  '/openapi.json',
  '/asyncapi.json',
  '/schemas',
  '/schemas/payment.completed.json',
];
export const FORMS = ['/DOCS', '/OpenApi.json', '/openapi.json/', '/Schemas/', '/docs?x=1', '/docs/?key=1'];
export const ALWAYS_OPEN = ['/health/live', '/health/ready'];

/** The answers of each path, with this key or without a key. */
export async function statuses(app: PaybellService, paths: readonly string[], key = ''): Promise<number[]> {
  const headers = { 'x-api-key': key };
  const answers = await Promise.all(paths.map((path) => fetch(`${app.url}${path}`, { headers })));
  return answers.map(({ status }) => status);
}

export function all(paths: readonly string[], status: number): number[] {
  return paths.map(() => status);
}
