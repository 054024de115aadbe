import type { IncomingMessage } from 'node:http';

/** The paths that browsers post plain forms to: signing in and out. */
const FORM_PATH = /^\/dashboard\/(?:session|sign-out)\/?(?:\?|$)/i;
export const FORM_TYPE = 'application/x-www-form-urlencoded';
/** 4 KiB. */
const FORM_LIMIT_BYTES = 4_096;

export function isForm(request: IncomingMessage): boolean {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return request.method === 'POST' && type === FORM_TYPE && FORM_PATH.test(request.url ?? '');
}

/** Options of the form parser. A form cannot have more parameters than bytes. */
export const FORM_PARSER = {
  limit: FORM_LIMIT_BYTES,
  parameterLimit: FORM_LIMIT_BYTES,
  extended: false,
  inflate: false,
  type: isForm,
};
