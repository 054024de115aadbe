import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { Logger } from '@nestjs/common';

const WARN_EVERY_MS = 60_000;

/** Posts spans as OTLP over HTTP, and warns once a minute while nobody takes them. Neither URL nor error is logged: both may hold a secret. */
export function spanExporter(url: string): SpanExporter {
  const log = new Logger('Tracing');
  const exporter = new OTLPTraceExporter({ url });
  let warnedAt = -Infinity;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const now = performance.now();
        if (result.error !== undefined && now - warnedAt >= WARN_EVERY_MS) {
          warnedAt = now;
          log.warn(`${new URL(url).host} does not take spans${whyOf(result.error)}: they are dropped`);
        }
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

function whyOf({ code }: Error & { readonly code?: unknown }): string {
  return typeof code === 'number' || /^[A-Z_]+$/.test(String(code)) ? ` (${String(code)})` : '';
}
