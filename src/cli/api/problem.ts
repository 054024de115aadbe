import type { Response } from 'undici';

import { isRecord } from '../../domain/payment/reading.ts';
import { CommandError, ExitStatus } from '../output/exit-status.ts';

const TIMED_OUT = /^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$/;
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** A refusal by Paybell (RFC 9457), with its reason in words for the user. */
export class ApiProblem extends CommandError {
  constructor(
    message: string,
    readonly httpStatus: number,
    readonly code: string | null,
    readonly retryAfterMs: number,
  ) {
    super(message, REFUSED.has(httpStatus) ? ExitStatus.refused : ExitStatus.failed);
  }
}

/** Marks a call as one of several: a refusal names it. */
export async function about<Result>(id: string, answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiProblem) error.message = `${id}: ${error.message}`;
    throw error;
  }
}

/** Null: the key's role may not see it. */
export async function allowed<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiProblem && error.httpStatus === 403) return null;
    throw error;
  }
}

/** Paybell did not answer at all. */
export class Unreachable extends CommandError {
  constructor(url: string, cause: unknown) {
    const why = reasonOf(cause);
    super(
      `Paybell does not answer at ${url}${why === null ? '' : ` (${why})`}: is it running? PAYBELL_URL says where it is.`,
      ExitStatus.unreachable,
      { cause },
    );
  }
}

export async function problemOf(response: Response, url: string): Promise<ApiProblem> {
  const body = objectOf(await response.text().catch(() => ''));
  const { status } = response;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : 1_000;
  const code = typeof body['code'] === 'string' ? body['code'] : null;
  const message =
    typeof body['detail'] === 'string'
      ? messageOf(body, code, status)
      : `${url} answered ${status}, and not as Paybell does: is PAYBELL_URL right?`;
  return new ApiProblem(message, status, code, retryAfterMs);
}

const KEY_HINTS: Readonly<Record<number, string>> = {
  401: ' PAYBELL_API_KEY is not one of its keys.',
  403: ' Set PAYBELL_API_KEY to a key that may.',
};

/** The title and the detail, and a line for each faulty field. */
function messageOf(body: Record<string, unknown>, code: string | null, status: number): string {
  const errors = Array.isArray(body['errors']) ? body['errors'].filter(isRecord) : [];
  const fields = errors.map(({ field, message }) => `\n  ${String(field)}: ${String(message)}`);
  const title = typeof body['title'] === 'string' ? body['title'] : 'Refused';
  const hint = KEY_HINTS[status] ?? '';
  return `${title} (${status}${code === null ? '' : ` ${code}`}): ${String(body['detail'])}${hint}${fields.join('')}`;
}

/** Null: there is no further reason. */
export function reasonOf(error: unknown): string | null {
  const { cause = error } = (error ?? {}) as { cause?: unknown };
  const { code, errors } = (cause ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === 'string') return TIMED_OUT.test(code) ? 'no answer in time' : code;
  return Array.isArray(errors) ? reasonOf(errors[0]) : null;
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
