import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { catchError, concatMap, type Observable } from 'rxjs';

import { isRecord } from '../../domain/payment/reading.ts';
import { AUDITED, type AuditedRoute, runAudited } from '../../platform/http/access.ts';
import { bodyClassOf } from '../../platform/http/body-fields.ts';
import { clientAddress } from '../../platform/http/client-address.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { problemOf } from '../../platform/http/problem.ts';
import { declaredFields } from '../../platform/http/read-fields.ts';
import { AuditLog, type AuditedChange } from '../../ports/audit-log.ts';
import { auditTarget, auditValues } from './audit-values.ts';
import { isRefusal, RefusedChanges } from './refused-changes.ts';

/** How a change ended; `code` is its problem's code. */
interface Result {
  readonly status: number;
  readonly code?: string;
  readonly target?: string | undefined;
}

/**
 * Writes each call of an `@Audited` handler to the audit log: before the handler runs, so that no change happens unrecorded,
 * and its result afterwards. An entry without a result means that the process ended in between.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  private readonly log = new Logger(AuditInterceptor.name);

  constructor(
    private readonly auditLog: AuditLog,
    private readonly refused: RefusedChanges,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const route = this.reflector.get<AuditedRoute | undefined>(AUDITED, context.getHandler());
    if (route === undefined) return next.handle();
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<KeyedRequest>(), http.getResponse<Response>()];
    const change = changeOf(context, route);
    let id: string | null = null;
    const begin = async (): Promise<void> => {
      id = await this.auditLog.begin(this.refused.hasRoom(change.who) ? change : { ...change, values: {} });
    };
    return runAudited(begin, () => next.handle()).pipe(
      concatMap(async (answer: unknown) => {
        const { changed = {} } = request;
        const values = { ...change.values, ...auditValues(changed) };
        const result = { status: response.statusCode, target: targetIn(answer, route) };
        await this.finish({ ...change, values }, id, result);
        return answer;
      }),
      catchError(async (error: unknown) => {
        await this.finish(change, id, problemOf(error, '', null));
        throw error;
      }),
    );
  }

  /** The change is made or refused already: a failed addition to its entry must not change the answer. */
  private async finish(change: AuditedChange, id: string | null, result: Result): Promise<void> {
    const { status, code = '', target } = result;
    try {
      if (isRefusal({ code, status })) await this.refused.noteChange(change, id, status);
      else if (id !== null) await this.auditLog.finish(id, status, target, change.values);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.log.warn(`the result ${status} of ${change.action} cannot be written to the audit log: ${reason}`);
    }
  }
}

function changeOf(context: ExecutionContext, { action, bodyField }: AuditedRoute): AuditedChange {
  const request = context.switchToHttp().getRequest<KeyedRequest>();
  const fields = fieldsOf(context, request.body);
  const named = bodyField === undefined ? Object.values(request.params) : [fields[bodyField]];
  const target = named.filter((part) => typeof part === 'string').join('/');
  return {
    who: request.apiKeyName ?? '',
    role: request.role ?? null,
    address: clientAddress(request),
    via: request.via ?? 'api',
    action,
    target: target === '' ? null : auditTarget(target),
    values: auditValues(fields),
  };
}

/** The fields that the handler reads; all others are ignored, and not kept. */
function fieldsOf(context: ExecutionContext, body: unknown): Record<string, unknown> {
  const into = bodyClassOf(context, body);
  if (into === null || !isRecord(body)) return {};
  const known = declaredFields(into);
  return Object.fromEntries(Object.entries(body).filter(([name]) => known.has(name)));
}

/** Parses the answer: interceptors between this one and the handler have already made it a text. */
function targetIn(answer: unknown, { answerField }: AuditedRoute): string | undefined {
  if (answerField === undefined || typeof answer !== 'string') return undefined;
  const fields: unknown = JSON.parse(answer);
  const target = isRecord(fields) ? fields[answerField] : undefined;
  return typeof target === 'string' ? auditTarget(target) : undefined;
}
