import { isTlsCode } from '../../platform/outbound/tls-codes.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import {
  codeOf,
  isWithoutConnection,
  messageOf,
  OtherAuthority,
  UNKNOWN_AUTHORITY,
  WritesGuarded,
} from './connection-errors.ts';

/** Codes of the operating system, and SQLSTATEs whose class alone says too little. */
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ENOTFOUND: 'host name not known',
  EAI_AGAIN: 'host name cannot be looked up',
  ENOENT: 'no such socket, or no such file',
  EACCES: 'the socket or a file may not be opened',
  EHOSTUNREACH: 'host cannot be reached',
  ETIMEDOUT: 'no answer in time',
  '08P01': 'protocol violation',
  '25006': 'read-only server',
  '28P01': 'password refused',
  '3D000': 'no such database',
  '42501': 'insufficient privilege',
  '42703': 'undefined column',
  '42883': 'undefined function',
  '42P01': 'undefined table',
  '53100': 'disk full',
  '53200': 'out of memory',
  '53300': 'too many connections',
  '55000': 'database not open to connections',
  '55P03': 'lock not available',
  '57014': 'statement took too long',
  '57P01': 'server is shut down',
  '57P02': 'server crashed',
  '57P03': 'server is starting or stopping',
  '58030': 'I/O error',
};

const AUTHORITY =
  "the server's authority is not known: name its certificate in DATABASE_CA_FILE, or encrypt without verification by sslmode=require";

/** Failures of TLS, found by code or by the words of an error without one: each with its cause and its remedy. */
const OF_TLS: readonly (readonly [RegExp, string])[] = [
  [UNKNOWN_AUTHORITY, AUTHORITY],
  [
    /^(INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|INVALID_CA|UNSPECIFIED)/,
    "a certificate of the server's chain may not be used so: have one issued for a TLS server",
  ],
  [/^CERT_HAS_EXPIRED/, "the server's certificate has expired: renew it, and have the server load it"],
  [/^CERT_NOT_YET_VALID/, "the server's certificate is not valid yet: correct the clock of this machine"],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)/,
    "the server's certificate is for another name: use that in DATABASE_URL, or sslmode=verify-ca with DATABASE_CA_FILE",
  ],
  [/^ERR_SSL_.*(VERSION|PROTOCOL)/, 'the server speaks no TLS of today: have it speak TLS 1.2 or 1.3'],
  [
    /^ERR_(TLS|SSL|OSSL)_|^CERT_/,
    'TLS with the server fails: its log says why, such as a client certificate that it demands (sslcert, sslkey)',
  ],
  [
    /does not support SSL/,
    'the server does not speak TLS: enable it there, or set sslmode=disable in DATABASE_URL',
  ],
  [/establishing an SSL connection/, 'the server refuses to begin TLS: its log says why'],
  [/no encryption$/, 'the server takes no unencrypted connection: set sslmode=verify-full in DATABASE_URL'],
  [
    /requires a valid client certificate/,
    'it demands a client certificate: set sslcert and sslkey in DATABASE_URL',
  ],
];

/** The words by the first two characters of a SQLSTATE. */
const BY_CLASS: Readonly<Record<string, string>> = {
  '08': 'connection exception',
  '25': 'invalid transaction state',
  '28': 'login refused',
  '40': 'transaction rolled back',
  '42': 'statement not understood',
  '53': 'insufficient resources',
  '54': 'limit exceeded',
  '55': 'object not in the needed state',
  '57': 'operator intervention',
  '58': 'system error',
  XX: 'internal error of the server',
};

/**
 * Describes a database error to an operator: its code, and the code's class in words. Contains no address and no
 * statement.
 */
export function failureWords(error: unknown): string {
  const code = codeOf(error);
  if (error instanceof OtherAuthority || error instanceof WritesGuarded) return `${code} ${error.message}`;
  const ofTls = tlsWords(error);
  if (ofTls !== undefined) return `${code} ${ofTls}`.trim();
  const words = BY_CODE[code] ?? (code.length === 5 ? BY_CLASS[code.slice(0, 2)] : undefined);
  if (words !== undefined) return `${code} ${words}`;
  if (code !== '') return code;
  if (isWithoutConnection(error)) return 'no free connection in time';
  return /time-?out/i.test(messageOf(error)) ? 'no answer in time' : 'connection lost';
}

function tlsWords(error: unknown): string | undefined {
  const text = isTlsCode(codeOf(error)) ? codeOf(error) : messageOf(error);
  return OF_TLS.find(([pattern]) => pattern.test(text))?.[1];
}

/** The words that a public page may show: without the name of a server or a user. */
export function publicWords(error: unknown): string {
  if (error instanceof StoreUnavailable) return error.message;
  return codeOf(error) === '' ? (error as Error).message : failureWords(error);
}

/** The words for the log, with the server's message. The operating system's messages name addresses. */
export function loggedWords(error: unknown): string {
  const isFromServer = typeof (error as { severity?: unknown }).severity === 'string';
  return isFromServer ? `${failureWords(error)}: ${(error as Error).message}` : publicWords(error);
}
