import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { connect } from 'amqplib';

const DEBIAN_LIBRARY = '/usr/lib/rabbitmq/lib';
const CONNECT_TIMEOUT_MS = 3_000;

/** The server's own start script: Debian's wrapper in /usr/sbin would change the user and the folders. */
export function findRabbitmqServer(): string | null {
  const packaged = existsSync(DEBIAN_LIBRARY) ? readdirSync(DEBIAN_LIBRARY).sort().reverse() : [];
  const folders = [
    ...packaged.map((name) => join(DEBIAN_LIBRARY, name, 'sbin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/opt/homebrew/sbin',
    '/usr/local/sbin',
  ];
  return folders.map((folder) => join(folder, 'rabbitmq-server')).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** True if a broker accepts this URL's user. */
export async function acceptsAmqp(url: string): Promise<boolean> {
  try {
    const connection = await connect(url, { timeout: CONNECT_TIMEOUT_MS });
    connection.on('error', () => undefined);
    await connection.close();
    return true;
  } catch {
    return false;
  }
}
