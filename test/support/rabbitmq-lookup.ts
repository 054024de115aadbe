import { connect } from 'amqplib';

const CONNECT_TIMEOUT_MS = 3_000;

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
