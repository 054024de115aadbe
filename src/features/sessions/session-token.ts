import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import type { CookieOptions, Request, Response } from 'express';

import { SESSION_MAX_MS } from '../../ports/sessions.ts';

const TOKEN_BYTES = 32;
/** Random characters, then characters that identify the key of the token. */
const TOKEN = /^pbs_([\w-]{43})([\w-]{22})$/;
const PROOF_LENGTH = 22;
const COOKIE = 'paybell_session';
/** Browsers take a cookie with this prefix only over https, for this host alone and for all of its paths. */
const SECURE_COOKIE = `__Host-${COOKIE}`;

/** A new token of 256 random bits and their HMAC. Only the browser has it: its hash is stored. */
export function newToken(keyHash: Buffer): string {
  const random = randomBytes(TOKEN_BYTES).toString('base64url');
  return `pbs_${random}${proofOf(random, keyHash)}`;
}

/** Whether the token was made for a session of this key. Every replica knows that without the database. */
export function isTokenOf(token: string, keyHash: Buffer): boolean {
  const [, random = '', proof = ''] = TOKEN.exec(token) ?? [];
  return proof !== '' && timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(random, keyHash)));
}

function proofOf(random: string, keyHash: Buffer): string {
  return createHmac('sha256', keyHash).update(random).digest('base64url').slice(0, PROOF_LENGTH);
}

export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The token in the request's cookie; null when there is none. */
export function tokenOf({ headers }: Request, isHttps: boolean): string | null {
  const name = nameOf(isHttps);
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key = '', value = ''] = pair.split('=', 2);
    if (key.trim() === name) return TOKEN.test(value.trim()) ? value.trim() : null;
  }
  return null;
}

export function setToken(response: Response, token: string, isHttps: boolean): void {
  response.cookie(nameOf(isHttps), token, { ...optionsOf(isHttps), maxAge: SESSION_MAX_MS });
}

export function clearToken(response: Response, isHttps: boolean): void {
  response.clearCookie(nameOf(isHttps), optionsOf(isHttps));
}

function nameOf(isHttps: boolean): string {
  return isHttps ? SECURE_COOKIE : COOKIE;
}

/** Scripts cannot read the cookie, and other sites' pages do not send it. */
function optionsOf(secure: boolean): CookieOptions {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure };
}
