import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import { errors } from 'undici';

import { OWN_CODES } from '../../domain/delivery/failure-advice.ts';

/** The facts about an attempt's connection that explain a failure. */
export interface Connection {
  readonly isTls: boolean;
  /** True: no earlier request was sent on it. */
  readonly isNew: boolean;
  /** The server asked for a client certificate in the handshake. */
  readonly asksForCertificate: boolean;
  /** The first received bytes; null: none came. */
  readonly heard: Buffer | null;
}

const used = new WeakSet<Socket>();

/** Reads the connection on which a request is about to be sent. */
export function connectionOf(socket: Socket): Connection {
  const isNew = !used.has(socket);
  used.add(socket);
  const isTls = socket instanceof TLSSocket;
  // A client has OpenSSL's shared signature algorithms only after a request for its certificate, which lists the server's.
  const asksForCertificate = isTls && isNew && socket.getSharedSigalgs().length > 0;
  return { isTls, isNew, asksForCertificate, heard: null };
}

const CLOSED = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;
/** OpenSSL's reason in the message of an EPROTO. */
const REASON = /:SSL routines:[^:]*:([^:]+):/;
const CODE = /^[A-Z][A-Z0-9_]{1,79}$/;
const TLS_ALERT = 0x15;
const TLS_MAJOR = 0x03;
const HTTP2_HEADER_BYTES = 9;
const HTTP2_SETTINGS = 4;
const HTTP2_GOAWAY = 7;

/**
 * Names the cause of a failure without an answer: the code of Node or OpenSSL, or one of `OWN_CODES`; null: none is known.
 */
export function codeOfError(error: unknown, connection: Connection | null): string | null {
  const code = codeIn(error);
  const spoken = connection?.heard ? codeOfBytes(connection.heard) : null;
  if (spoken !== null) return spoken;
  if (CLOSED.test(code)) return codeOfClose(code, connection);
  // undici's error has no code.
  if (error instanceof errors.HTTPParserError) return OWN_CODES.unreadable;
  return CODE.test(code) ? code : null;
}

function codeOfClose(code: string, connection: Connection | null): string {
  // Only a TLS connection can end before a request is sent on it.
  if (connection === null) return OWN_CODES.handshakeClosed;
  if (connection.heard !== null) return code;
  if (connection.asksForCertificate) return OWN_CODES.certificateDemanded;
  return connection.isNew && !connection.isTls ? OWN_CODES.closedUnanswered : code;
}

/** Recognises the protocol that the server spoke instead of HTTP/1.1. */
function codeOfBytes(bytes: Buffer): string | null {
  if (bytes[0] === TLS_ALERT && bytes[1] === TLS_MAJOR) return OWN_CODES.httpToTls;
  const isFrame = bytes.length >= HTTP2_HEADER_BYTES && bytes.readUInt32BE(5) === 0;
  return isFrame && (bytes[3] === HTTP2_SETTINGS || bytes[3] === HTTP2_GOAWAY) ? OWN_CODES.http2Only : null;
}

/** How web servers answer a client that does not speak TLS, or presents no certificate. */
const ANSWERS: readonly (readonly [isTls: boolean, words: RegExp, code: string])[] = [
  [
    false,
    /sent to HTTPS port|to an HTTPS server|SSL-enabled server port|port requires TLS/i,
    OWN_CODES.httpToTls,
  ],
  [true, /no required ssl certificate was sent|client certificate/i, OWN_CODES.certificateDemanded],
];

/** Names the cause of an answer that the web server in front of the shop gave; null: the answer has another origin. */
export function codeOfAnswer(httpStatus: number, text: string, connection: Connection | null): string | null {
  if (connection === null || (httpStatus !== 400 && httpStatus !== 403)) return null;
  return ANSWERS.find(([isTls, words]) => isTls === connection.isTls && words.test(text))?.[2] ?? null;
}

/** The code of an error; for a failed handshake OpenSSL's reason, in Node's form of codes. */
export function codeIn(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code !== 'string') return '';
  const reason = code === 'EPROTO' && typeof message === 'string' ? REASON.exec(message)?.[1] : undefined;
  return reason === undefined ? code : `ERR_SSL_${reason.toUpperCase().replaceAll(/\W+/g, '_')}`;
}
