const SHOWN_CHARACTERS = 300;

const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name can not be looked up',
  EHOSTUNREACH: 'its host can not be reached',
  ENETUNREACH: 'its host can not be reached',
  ETIMEDOUT: 'no answer in time',
  ABORT_ERR: 'no answer in time',
};

const BY_MESSAGE: readonly (readonly [string, string])[] = [
  ['Handshake terminated by server: 403', 'user name or password refused'],
  ['ConnectionOpenOk; got <ConnectionClose', 'the virtual host does not exist or is refused'],
  ['Heartbeat timeout', 'no heartbeat'],
  ['Socket closed abruptly', 'the connection was closed at once'],
  ['Unexpected close', 'the connection was closed'],
];

/** Explains an error to an operator, without addresses and passwords. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const byCode = BY_CODE[code];
  if (byCode !== undefined) return byCode;
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_(SSL|TLS)/.test(code)) return `TLS failed (${code})`;
  const message = partOf(error, 'message');
  const byMessage = BY_MESSAGE.find(([part]) => message.includes(part));
  if (byMessage !== undefined) return byMessage[1];
  // The broker's reply text for a closed channel or connection names the vhost, the exchange and the user, and no secret.
  const reply = /\d{3} \([A-Z-]+\) with message "(.*?)\.*"$/s.exec(message)?.[1];
  if (reply !== undefined) return `closed by the broker: ${reply.slice(0, SHOWN_CHARACTERS)}`;
  return /^[A-Z_]+$/.test(code) ? `the connection failed (${code})` : 'the connection broke';
}

/** True when the exchange or queue exists with other arguments (406), or exclusively for another connection (405). */
export function isDeclareConflict(error: unknown): boolean {
  return ['405', '406'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return partOf(error, 'code');
}

function partOf(error: unknown, name: 'code' | 'message'): string {
  if (typeof error !== 'object' || error === null) return '';
  const part = (error as { code?: unknown; message?: unknown })[name];
  return typeof part === 'string' || typeof part === 'number' ? String(part) : '';
}
