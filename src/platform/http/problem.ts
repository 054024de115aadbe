import { HttpException } from '@nestjs/common';

import type { FieldError } from './invalid-field.ts';
import { codeOfStatus, PROBLEMS, type ProblemKind } from './problems.ts';

/** Members that an error may have beside its `code`. */
interface CodedError extends Error {
  readonly code: string;
  readonly errors?: readonly FieldError[];
  readonly httpStatus?: number;
  readonly field?: string | null;
  readonly retryAfterMs?: number | null;
  /** The methods of the path. */
  readonly allow?: string;
  /** A detail that clients may see, in place of the kind's own. */
  readonly publicDetail?: string;
  /** Additional members of the problem. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** An RFC 9457 problem, and the headers that belong to it. */
export interface Problem {
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Turns any thrown error into a problem that is safe to publish: without a stack, SQL, an address or a key. `isChange`:
 * whether the request was meant to change something.
 */
export function problemOf(
  error: unknown,
  instance: string,
  requestId: string | null,
  isChange = false,
): Problem {
  const build = (code: string, own: Partial<CodedError>): Problem => {
    const kind = PROBLEMS.get(code) as ProblemKind;
    const words = own.publicDetail ?? kind.detail ?? own.message ?? kind.title;
    const detail = isChange && kind.change !== undefined ? `${words} ${kind.change}` : words;
    return built(code, own, detail, { instance, requestId });
  };
  if (isCoded(error)) return build(error.code, error);
  if (!(error instanceof HttpException)) return build('internal', {});
  return build(codeOfStatus(error.getStatus()), describe(error));
}

function isCoded(error: unknown): error is CodedError {
  return error instanceof Error && 'code' in error && PROBLEMS.has(String(error.code));
}

/** Keeps only messages that our own code wrote: a framework's message may repeat the path or the body. */
function describe(error: HttpException): Partial<CodedError> {
  if (error.cause instanceof URIError)
    return {
      message: 'The path is not valid.',
      errors: [{ field: 'path', message: 'must be valid percent-encoding' }],
    };
  return error.cause === undefined ? { message: error.message } : { message: 'The request is not valid.' };
}

function built(
  code: string,
  error: Partial<CodedError>,
  detail: string,
  { instance, requestId }: { readonly instance: string; readonly requestId: string | null },
): Problem {
  const kind = PROBLEMS.get(code) as ProblemKind;
  const status = statusOf(kind, error.httpStatus);
  const errors = fieldErrorsOf(error);
  return {
    code,
    status,
    headers: headersOf(code, retryAfterSeconds(kind, error), error.allow),
    body: {
      type: `urn:paybell:problem:${code}`,
      title: kind.title,
      status,
      detail,
      instance,
      success: false,
      // The spec's clients read `error`.
      error: detail,
      code,
      ...(errors === undefined ? {} : { errors }),
      ...(requestId === null ? {} : { requestId }),
      ...error.members,
    },
  };
}

function statusOf({ status, statuses = [] }: ProblemKind, own: number | undefined): number {
  return own !== undefined && statuses.includes(own) ? own : status;
}

function fieldErrorsOf(error: Partial<CodedError>): readonly FieldError[] | undefined {
  if (error.errors !== undefined) return error.errors;
  return error.field ? [{ field: error.field, message: error.message ?? '' }] : undefined;
}

function retryAfterSeconds(kind: ProblemKind, error: Partial<CodedError>): number | undefined {
  if (kind.retryAfterSeconds === undefined || !error.retryAfterMs) return kind.retryAfterSeconds;
  return Math.max(1, Math.ceil(error.retryAfterMs / 1_000));
}

function headersOf(
  code: string,
  retryAfter: number | undefined,
  allow: string | undefined,
): Record<string, string> {
  return {
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    ...(code === 'unauthorized' ? { 'www-authenticate': 'Bearer realm="paybell"' } : {}),
    ...(allow === undefined ? {} : { allow }),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  };
}
