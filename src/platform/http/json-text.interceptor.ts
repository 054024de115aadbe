import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { SSE_METADATA } from '@nestjs/common/constants.js';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';

import type { UnreadResponseLimit } from './unread-response-limit.ts';
import { stringify } from './json-text.ts';
import type { KeyedRequest } from './keyed-request.ts';

/** Serialises every object that a controller returns, and copies JsonText in it verbatim. */
@Injectable()
export class JsonTextInterceptor implements NestInterceptor {
  constructor(private readonly unread: UnreadResponseLimit) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    // Nest itself serialises the events of an SSE stream.
    if (context.getType() !== 'http' || Reflect.hasMetadata(SSE_METADATA, context.getHandler()))
      return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    const { apiKeyName } = context.switchToHttp().getRequest<KeyedRequest>();
    return next.handle().pipe(
      map((answer: unknown) => {
        const text = serialise(answer, response);
        if (typeof text === 'string' && apiKeyName !== undefined)
          this.unread.add(apiKeyName, response, Buffer.byteLength(text));
        return text;
      }),
    );
  }
}

function serialise(answer: unknown, response: Response): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if (answer instanceof StreamableFile || response.headersSent) return answer;
  const text = stringify(answer);
  if (!response.hasHeader('content-type')) response.type('application/json; charset=utf-8');
  return text;
}
