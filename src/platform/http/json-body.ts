import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { NextFunction, Request, Response } from 'express';
import { parse } from 'lossless-json';

import { isForm } from './form-body.ts';
import { InvalidField } from './invalid-field.ts';
import { shapeFault } from './json-shape.ts';
import type { KeyedRequest } from './keyed-request.ts';
import { isNotice } from './notice-body.ts';

/** 256 KiB: the largest metadata fits even if each character is a `\u` escape of six bytes. */
export const BODY_LIMIT_BYTES = 262_144;
/** 1 MiB, for a list of quotes to adopt, each with its quote object. */
export const LIST_LIMIT_BYTES = 1_048_576;
const LISTS = new Set(['POST /api/payments']);
const NOT_UTF8 = 'paybell.not.utf8';
const WRONG_SHAPE = 'paybell.wrong.shape';

/** The body cannot be read as JSON. */
export class MalformedJson extends Error {
  readonly code = 'malformed_json';
}

/** The body is longer than the limit. */
export class BodyTooLarge extends Error {
  readonly code = 'body_too_large';
  constructor(limitBytes: number) {
    super(`The body is larger than ${limitBytes / 1_024} KiB.`);
  }
}

/** The body's media type or encoding is not supported. */
export class UnsupportedMediaType extends Error {
  readonly code = 'unsupported_media_type';
}

/**
 * Refuses a body that is not JSON, which the parsers would skip. A request without an API key passes: no parser reads its
 * body.
 */
export function requireJson(request: KeyedRequest, _response: Response, next: NextFunction): void {
  if (request.apiKeyName === undefined) return next();
  // PostgreSQL's text type cannot hold NUL, and none of our ids and names contains it.
  if (/%00/.test(request.originalUrl)) throw new InvalidField('path', 'must not contain NUL characters');
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && length === '0') return next();
  if (!isJson(request.headers['content-type']))
    throw new UnsupportedMediaType('Send the body as JSON, with the header content-type: application/json.');
  // The body parser would read the whole body before refusing it.
  const limit = mayBeList(request) ? LIST_LIMIT_BYTES : BODY_LIMIT_BYTES;
  if (Number(length) > limit) throw new BodyTooLarge(limit);
  next();
}

/** Sends `100 Continue` to a client that expects it, once the body is certain to be read. */
export function sendContinue(request: KeyedRequest, response: Response, next: NextFunction): void {
  const isRead = request.apiKeyName !== undefined || isNotice(request) || isForm(request);
  if (isRead && /^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  next();
}

/**
 * True for JSON from a client with an accepted API key: no other body is inflated or parsed. A list has a parser of its own.
 */
export function isReadableJson(request: IncomingMessage): boolean {
  return isKeyedJson(request) && !mayBeList(request);
}

/** True if JSON from a client with an accepted API key may be a list of many entries. */
export function isReadableList(request: IncomingMessage): boolean {
  return isKeyedJson(request) && mayBeList(request);
}

function isKeyedJson(request: IncomingMessage): boolean {
  return (request as KeyedRequest).apiKeyName !== undefined && isJson(request.headers['content-type']);
}

function mayBeList({ method, url = '' }: IncomingMessage): boolean {
  return LISTS.has(`${method} ${url.split('?', 1)[0]}`);
}

/**
 * Refuses invalid UTF-8, which the decoder would silently turn into U+FFFD, so that a different text would be stored. Also
 * refuses JSON that would take long to parse. Keeps the text for handlers that store a part of it verbatim.
 */
export function checkBytes(
  request: IncomingMessage,
  _response: ServerResponse,
  body: Buffer,
  charset: string,
): void {
  if (charset !== 'utf-8') throw Object.assign(new Error(charset), { type: 'charset.unsupported' });
  if (!isUtf8(body)) throw Object.assign(new Error('not UTF-8'), { type: NOT_UTF8 });
  const fault = shapeFault(body, mayBeList(request));
  if (fault !== null) throw Object.assign(new Error(fault), { type: WRONG_SHAPE });
  (request as KeyedRequest).bodyText = () => new TextDecoder().decode(body);
}

/** Replaces the body parser's errors with our own: its messages repeat parts of the body. */
export function explainBodyError(
  error: unknown,
  _request: Request,
  _response: Response,
  next: NextFunction,
): void {
  next(explain(error));
}

/** Refuses JSON values that PostgreSQL cannot store. */
export function checkBody(request: Request, _response: Response, next: NextFunction): void {
  if (!Buffer.isBuffer(request.body)) checkValue(request.body as unknown);
  next();
}

/** True for the media types of JSON. */
export function isJson(contentType: string | undefined): boolean {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type);
}

function explain(error: unknown): unknown {
  const {
    type = '',
    body,
    limit = BODY_LIMIT_BYTES,
    message = '',
  } = error as { type?: string; body?: unknown; limit?: number; message?: string };
  switch (type) {
    case WRONG_SHAPE:
      return new InvalidField('body', message);
    case 'entity.parse.failed':
      return new MalformedJson(`The body is not valid JSON${placeOf(body)}.`);
    case NOT_UTF8:
      return new MalformedJson('The body is not valid UTF-8.');
    case 'entity.too.large':
      return new BodyTooLarge(limit);
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new UnsupportedMediaType(
        'Send the body as UTF-8, without or with gzip, deflate or br encoding.',
      );
    case 'request.aborted':
    case 'request.size.invalid':
      return new MalformedJson('The body ended before its announced length.');
    default:
      return type === '' && !(error as { expose?: boolean }).expose
        ? error
        : new MalformedJson('The body cannot be decoded.');
  }
}

/** Node 20's JSON.parse reports no position, so a second parser runs, for invalid bodies only. */
function placeOf(body: unknown): string {
  if (typeof body !== 'string') return '';
  const position = positionOf(body);
  if (position === null) return '';
  const before = body.slice(0, position).split('\n');
  return ` (near line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

function positionOf(body: string): number | null {
  try {
    parse(body, undefined, { onDuplicateKey: ({ newValue }) => newValue });
  } catch (error) {
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    if (position !== undefined) return Number(position);
  }
  return null;
}

/** Refuses NUL characters, which PostgreSQL cannot store, in JSON whose shape was checked. Throws InvalidField. */
export function checkValue(root: unknown): void {
  const open: { value: unknown; path: string; isRoot: boolean }[] = [
    { value: root, path: 'body', isRoot: true },
  ];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, path, isRoot } = item;
    if (typeof value === 'string' && value.includes('\0')) refuse(path, 'must not contain NUL characters');
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (key.includes('\0')) refuse(path, 'must not have names with NUL characters');
      open.push({ value: child, path: isRoot ? key : `${path}.${key}`, isRoot: false });
    }
  }
}

function refuse(field: string, message: string): never {
  throw new InvalidField(field, message);
}
