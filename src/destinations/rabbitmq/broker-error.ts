import { isTlsCode } from '../../platform/outbound/tls-codes.ts';

const SHOWN_CHARACTERS = 300;

const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its host cannot be reached',
  ETIMEDOUT: 'no answer in time',
  ABORT_ERR: 'no answer in time',
};

const CLOSED_AT_LOGIN = 'Handshake terminated by server';
const CLOSED_AT_OPEN = 'ConnectionOpenOk; got <ConnectionClose';

const BY_MESSAGE: readonly (readonly [string, string])[] = [
  [`${CLOSED_AT_LOGIN}: 403`, 'user name or password refused'],
  // For this refusal, amqplib drops the broker's reply text.
  [
    CLOSED_AT_OPEN,
    'the virtual host does not exist, its user may not use it, or a limit of connections (of the user or the virtual host) is reached',
  ],
  ['Heartbeat timeout', 'no heartbeat'],
  ['Socket closed abruptly', 'the connection was closed at once'],
  ['Unexpected close', 'the connection was closed'],
];

/** Explains an error to an operator, without addresses and passwords. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const byCode = BY_CODE[code];
  if (byCode !== undefined) return byCode;
  if (isTlsCode(code)) return `TLS failed (${code})`;
  const message = partOf(error, 'message');
  const byMessage = BY_MESSAGE.find(([part]) => message.includes(part));
  if (byMessage !== undefined) return byMessage[1];
  const reply = replyOf(error);
  if (reply !== null) return `closed by the broker: ${reply}`;
  return /^[A-Z_]+$/.test(code) ? `the connection failed (${code})` : 'the connection broke';
}

/**
 * The broker's reply text for a closed channel or connection: it names the vhost, the exchange and the user, but no secret.
 */
export function replyOf(error: unknown): string | null {
  const reply = /\d{3} \([A-Z-]+\) with message "(.*?)\.*"$/s.exec(partOf(error, 'message'))?.[1];
  return reply?.slice(0, SHOWN_CHARACTERS) ?? null;
}

/** True when the broker answers and refuses the login, the virtual host, a declaration, or a channel over a limit (530). */
export function isRefused(error: unknown): boolean {
  const message = partOf(error, 'message');
  const isAtOpen = message.includes(CLOSED_AT_LOGIN) || message.includes(CLOSED_AT_OPEN);
  return isAtOpen || ['403', '404', '405', '406', '530'].includes(codeOf(error));
}

/** True when the exchange or queue exists with other arguments (406), or belongs to another connection alone (405). */
export function isDeclareConflict(error: unknown): boolean {
  return ['405', '406'].includes(codeOf(error));
}

/** The broker's reply code, or the system error's code; empty if there is none. */
export function codeOf(error: unknown): string {
  return partOf(error, 'code');
}

function partOf(error: unknown, name: 'code' | 'message'): string {
  if (typeof error !== 'object' || error === null) return '';
  const part = (error as { code?: unknown; message?: unknown })[name];
  return typeof part === 'string' || typeof part === 'number' ? String(part) : '';
}
