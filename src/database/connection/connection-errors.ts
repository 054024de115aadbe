import { isTlsCode } from '../../platform/outbound/tls-codes.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { NotWanted } from '../../ports/store-busy.ts';

const CONNECTION_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  // The socket of a server on this machine.
  'ENOENT',
  'EACCES',
]);
/** The SQLSTATE classes of connection, login, resources, shutdown and system: the statement is not at fault. */
const CONNECTION_STATES = /^(08|28|53|57P|58)/;
/** A demoted server takes no writes, so that connections to it are useless. */
export const READ_ONLY = '25006';
/** SQLSTATEs of a BEGIN that a standby refuses, with READ WRITE or with our settings: see READ_ONLY. */
const NO_WRITES_TO_BEGIN = new Set(['0A000', '25001']);
/** The database does not exist, as during a restore, or accepts no connections. */
const CLOSED = new Set(['3D000', '55000']);
/** Raised by the function join_log: no replica has judged yet which commits a change of the server has lost. */
export const SERVER_CHANGED = 'PB001';
/** A prepared statement does not exist: a pooler has cleared the session, or moved the client to another one. */
export const NOT_PREPARED = '26000';
const LOCK_NOT_AVAILABLE = '55P03';
/** statement_timeout and lock_timeout: another session is in the way for now. */
const IN_THE_WAY = new Set(['57014', LOCK_NOT_AVAILABLE]);
/** An undefined function, column or table: another release has changed the schema. */
const OTHER_RELEASE = new Set(['42883', '42703', '42P01']);
/** The client's own time-out: the server has not answered at all. */
export const DEAD_CONNECTION = 'Query read timeout';
/** The last words are TypeORM's: it releases the query runner of a connection that ends between two statements. */
const CONNECTION_WORDS =
  /Query read timeout|Connection terminated|timeout exceeded when trying to connect|not queryable|is not connected|not established|connection timeout|Driver not Connected|Query runner already released|SSL connection/i;

/** The server could take writes, but its settings make every session read-only by default. */
export class WritesGuarded extends Error {
  readonly code = READ_ONLY;

  constructor() {
    super(
      'default_transaction_read_only is on, as a server sets it when its disk is nearly full: free space and set it off, or set DATABASE_READ_WRITE=force',
    );
  }
}

/** Makes the error of a failed BEGIN: a standby refuses a transaction that writes. */
export function ofBegin(error: unknown): Error {
  const isStandby = NO_WRITES_TO_BEGIN.has(codeOf(error));
  return isStandby
    ? Object.assign(new Error('The server takes no writes.'), { code: READ_ONLY })
    : (error as Error);
}

/** The codes of a certificate whose authority is not trusted. */
export const UNKNOWN_AUTHORITY = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_UNTRUSTED)/;

/** The settings name an authority, and the server's certificate is of another one. */
export class OtherAuthority extends Error {
  constructor(readonly code: string) {
    super(
      "the authority in DATABASE_CA_FILE, or in sslrootcert, did not sign the server's certificate: name the authority that did",
    );
  }
}

/**
 * Whether the database is unavailable, whichever statement was sent. Decides by codes and words: the driver has no
 * classes of errors.
 */
export function isConnectionError(error: unknown): boolean {
  const code = codeOf(error);
  if (CONNECTION_ERRORS.has(code) || CONNECTION_STATES.test(code) || IN_THE_WAY.has(code)) return true;
  if (code === READ_ONLY || code === SERVER_CHANGED || code === NOT_PREPARED || CLOSED.has(code)) return true;
  return isTlsCode(code) || CONNECTION_WORDS.test(messageOf(error));
}

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

export function messageOf(error: unknown): string {
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : '';
}

/** The statement meets the schema of another release. */
export function isOtherRelease(error: unknown): boolean {
  return OTHER_RELEASE.has(codeOf(error));
}

/** Whether the connection is gone: the next one may lead to another server, or to an older state of the database. */
export function isDisconnection(error: unknown): boolean {
  const code = codeOf(error);
  if (CONNECTION_ERRORS.has(code) || /^(08|57P)/.test(code) || CLOSED.has(code)) return true;
  return code === READ_ONLY || code === SERVER_CHANGED || CONNECTION_WORDS.test(messageOf(error));
}

/** The server has not answered: every further statement on this connection hangs. */
export function isDeadConnection(error: unknown): boolean {
  return messageOf(error) === DEAD_CONNECTION;
}

/** Whether the connection is useless, or leads to a server that takes no writes. */
export function isLost(error: unknown): boolean {
  return isDeadConnection(error) || codeOf(error) === READ_ONLY || codeOf(error) === NOT_PREPARED;
}

/** All connections of the pool were in use for as long as a caller waits. */
export function isWithoutConnection(error: unknown): boolean {
  return messageOf(error).startsWith('timeout exceeded when trying to connect');
}

/**
 * For the write of a group of rows: whether the failure would meet every row of the group, so that writing them one by
 * one does not help.
 */
export function failsAll(error: unknown): boolean {
  if (error instanceof NotWanted) return false;
  return error instanceof StoreUnavailable && codeOf(error.cause) !== LOCK_NOT_AVAILABLE;
}
