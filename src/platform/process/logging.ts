import { isatty } from 'node:tty';
import { inspect } from 'node:util';

import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger as Pino, pino } from 'pino';

import { loggedTraceId } from '../tracing/log-trace.ts';
import { type Dropped, LogOutput, sayDropped, STDOUT } from './log-output.ts';
import { cleanObject, cleanText, errorFields } from './log-redaction.ts';

/** Contexts that Nest logs at `info` on every start; written at `debug` here. */
const CHATTY = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);

/** Nest's logger on pino: one JSON line for each call, with every value redacted that is named or looks like a secret. */
export class StructuredLogger implements LoggerService {
  private readonly pino: Pino;

  constructor(level: Level | 'silent', stream: DestinationStream) {
    // pino's own error serializer would keep a driver's query.
    const serializers = { err: (fields: unknown) => fields };
    const formatters = { level: (label: string) => ({ level: label }) };
    const timestamp = pino.stdTimeFunctions.isoTime;
    this.pino = pino({ level, base: null, serializers, formatters, timestamp }, stream);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(CHATTY.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest calls (message, …more, context), and for errors (message, stack, context). */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    if (!this.pino.isLevelEnabled(level)) return;
    try {
      this.pino[level](this.fieldsOf(level, message, rest), cleanText(textOf(message)));
    } catch {
      // An error's members may be anything, and a handler of uncaught errors must not throw.
      this.pino[level]('a line of the log could not be made: what it is about cannot be read');
    }
  }

  private fieldsOf(level: Level, message: unknown, rest: readonly unknown[]): Record<string, unknown> {
    const withStack = level === 'error' || level === 'fatal';
    const context = typeof rest.at(-1) === 'string' && !isStack(rest.at(-1)) ? rest.at(-1) : undefined;
    const more = context === undefined ? rest : rest.slice(0, -1);
    const traceId = loggedTraceId();
    return {
      ...(context === undefined ? {} : { context }),
      ...(traceId === null ? {} : { trace_id: traceId }),
      ...fieldsOf(message, more, withStack),
    };
  }
}

/**
 * Standard output as the log: JSON lines, or readable lines on a terminal. Writes are synchronous, so that the last lines
 * before an exit are not lost.
 */
export async function standardOutput(): Promise<DestinationStream> {
  const shown = isatty(STDOUT) ? await readable() : (line: string): string => line;
  const output = LogOutput.onStandardOutput((dropped) => shown(lineAbout(dropped)));
  return { write: (line) => void output.write(shown(line)) };
}

async function readable(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  return prettyFactory({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' });
}

/** The line has no level that a filter could drop: the reported lines had one. */
function lineAbout(dropped: Dropped): string {
  const [level, context] = ['warn', 'Log'];
  const msg = sayDropped(dropped);
  return `${JSON.stringify({ level, time: new Date(), context, msg, ...dropped })}\n`;
}

function isStack(value: unknown): value is string {
  return typeof value === 'string' && /\n\s+at /.test(value);
}

function textOf(message: unknown): string {
  if (message instanceof Error) return message.message;
  if (typeof message !== 'object' || message === null) return String(message);
  const { msg } = message as { msg?: unknown };
  return typeof msg === 'string' ? msg : '';
}

function fieldsOf(message: unknown, more: readonly unknown[], withStack: boolean): Record<string, unknown> {
  if (message instanceof Error) return { err: errorFields(message, withStack) };
  const fields = typeof message === 'object' && message !== null ? cleanObject(message, withStack) : {};
  delete fields['msg'];
  for (const part of more) Object.assign(fields, partOf(part, withStack));
  return fields;
}

function partOf(part: unknown, withStack: boolean): Record<string, unknown> {
  if (part instanceof Error) return { err: errorFields(part, withStack) };
  if (isStack(part)) return withStack ? { stack: cleanText(part) } : {};
  if (part === undefined || part === null) return {};
  if (typeof part === 'object') return cleanObject(part, withStack);
  return { detail: cleanText(typeof part === 'string' ? part : inspect(part)) };
}
