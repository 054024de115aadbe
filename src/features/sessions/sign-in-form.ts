import type { Request } from 'express';

import { FORM_TYPE, isForm } from '../../platform/http/form-body.ts';
import { UnsupportedMediaType } from '../../platform/http/json-body.ts';

export const PAGES = '/dashboard';
export const SIGN_IN_PAGE = '/dashboard/sign-in';
const MAX_NEXT_LENGTH = 2_000;
/** No browser and no proxy reads what this matches as anything but a path of this site. */
const PLAIN_PATH = /^\/dashboard(?:[/?#][^\\\s\p{Cc}]*)?$/u;

/** The parameters of a form, but those that are repeated; none without a body. Throws UnsupportedMediaType. */
export function formOf(request: Request): ReadonlyMap<string, string> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  const hasBody = encoding !== undefined || length !== '0';
  if (hasBody && !isForm(request)) throw new UnsupportedMediaType(`Send the form as ${FORM_TYPE}.`);
  const parameters = Object.entries((request.body ?? {}) as Readonly<Record<string, unknown>>);
  return new Map(parameters.filter((each): each is [string, string] => typeof each[1] === 'string'));
}

/** The page to go to after the sign-in: a path of the dashboard, without `.` and `..`. Null for anything else. */
export function nextPath(given: string): string | null {
  if (given.length > MAX_NEXT_LENGTH || !PLAIN_PATH.test(given)) return null;
  const { pathname, search, hash } = new URL(given, 'http://localhost');
  const isPage = pathname === PAGES || pathname.startsWith(`${PAGES}/`);
  return isPage ? `${pathname}${search}${hash}` : null;
}
