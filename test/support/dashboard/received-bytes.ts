import type { Tap } from '../../../tools/testkit/tcp-proxy.ts';

/** The border between two chunks of a body. */
const CHUNK_BORDER = /\r\n[0-9a-f]+\r\n/g;
const SESSION_COOKIE = /set-cookie: paybell_session=([^;\s]{20,})/gi;

/** Every byte that some connections received: heads, bodies and streams. */
export class ReceivedBytes {
  private readonly connections: Buffer[][] = [];

  readonly newTap = (): Tap => {
    const chunks: Buffer[] = [];
    this.connections.push(chunks);
    return (chunk) => void chunks.push(chunk);
  };

  /** One text for each connection, so that no secret is split between two packets or two chunks. */
  get texts(): string[] {
    return this.connections.map((chunks) =>
      Buffer.concat(chunks).toString('latin1').replaceAll(CHUNK_BORDER, ''),
    );
  }

  /** The tokens of all sessions that were begun. */
  get sessionTokens(): string[] {
    return this.texts.flatMap((text) => [...text.matchAll(SESSION_COOKIE)].map(([, token = '']) => token));
  }
}
