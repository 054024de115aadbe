import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { NextFunction, Request, Response } from 'express';
import { parse } from 'lossless-json';

import { InvalidField } from './invalid-field.ts';

/** 100 KiB. */
export const BODY_LIMIT_BYTES = 102_400;
const MAX_DEPTH = 32;
const NOT_UTF8 = 'paybell.not.utf8';

/** The body can't be read as JSON. */
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

/** The body is sent as something else than JSON. */
export class UnsupportedMediaType extends Error {
  readonly code = 'unsupported_media_type';
}

/** Refuses what no body parser would read: without this such a body counts as none. */
export function requireJson(request: Request, _response: Response, next: NextFunction): void {
  // PostgreSQL's text can't hold NUL, and nothing of ours is named with it.
  if (/%00/.test(request.originalUrl)) throw new InvalidField('path', 'must not contain NUL characters');
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && length === '0') return next();
  if (isJson(request.headers['content-type']) || Buffer.isBuffer(request.body)) return next();
  throw new UnsupportedMediaType('Send the body as JSON, with the header content-type: application/json.');
}

/** Refuses bytes that the decoder would silently turn into U+FFFD: another text than the one sent would be stored. */
export function requireUtf8(
  _request: IncomingMessage,
  _response: ServerResponse,
  body: Buffer,
  charset: string,
): void {
  if (charset !== 'utf-8') throw Object.assign(new Error(charset), { type: 'charset.unsupported' });
  if (!isUtf8(body)) throw Object.assign(new Error('not UTF-8'), { type: NOT_UTF8 });
}

/** What the body parser throws, in our own words: its messages repeat parts of the body. */
export function explainBodyError(
  error: unknown,
  _request: Request,
  _response: Response,
  next: NextFunction,
): void {
  next(explain(error));
}

/** Refuses values that are JSON but that no later part can live with. */
export function checkBody(request: Request, _response: Response, next: NextFunction): void {
  if (!Buffer.isBuffer(request.body)) checkValue(request.body as unknown);
  next();
}

/** True for the media types that hold JSON. */
export function isJson(contentType: string | undefined): boolean {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type);
}

function explain(error: unknown): unknown {
  const {
    type = '',
    body,
    limit = BODY_LIMIT_BYTES,
  } = error as { type?: string; body?: unknown; limit?: number };
  switch (type) {
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
        : new MalformedJson('The body can not be decoded.');
  }
}

/** JSON.parse of Node 20 tells no position, a second parser does; it runs only for broken bodies. */
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

/** Refuses nesting and characters that no later part can live with. Throws InvalidField. */
export function checkValue(root: unknown): void {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: 'body', depth: 0 }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, path, depth } = item;
    if (typeof value === 'string' && value.includes('\0')) refuse(path, 'must not contain NUL characters');
    if (typeof value !== 'object' || value === null) continue;
    if (depth === MAX_DEPTH) refuse('body', `must not be nested deeper than ${MAX_DEPTH}`);
    for (const [key, child] of Object.entries(value)) {
      if (key.includes('\0')) refuse(path, 'must not have names with NUL characters');
      open.push({ value: child, path: depth === 0 ? key : `${path}.${key}`, depth: depth + 1 });
    }
  }
}

function refuse(field: string, message: string): never {
  throw new InvalidField(field, message);
}
