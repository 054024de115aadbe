import { type AddressInfo, createServer } from 'node:net';

import { EmbeddedPostgresFailed } from './embedded-failed.ts';

const HOST = '127.0.0.1';

/** Returns `preferred` if it is free, so that an operator's tools find the database on its former port; else any free port. */
export async function choosePort(preferred: number | null): Promise<number> {
  if (preferred !== null && (await listenOnce(preferred)) !== null) return preferred;
  const port = await listenOnce(0);
  if (port === null) throw new EmbeddedPostgresFailed(`no port is free on ${HOST}`);
  return port;
}

function listenOnce(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, HOST, () => {
      const { port: taken } = server.address() as AddressInfo;
      server.close(() => resolve(taken));
    });
  });
}
