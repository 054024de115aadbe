import type { Span } from '../../ports/tracer.ts';
import type { DeliveryWatch } from './delivery-watch.ts';
import type { EndedAttempt } from './settle-outcome.ts';

/** Notes an attempt within its span. That of a delivery that was held never ends: no attempt was made. */
export function endTraced(ended: EndedAttempt, span: Span, watch: DeliveryWatch): void {
  const { outcome } = ended;
  span.log(() => watch.ended(ended));
  if (outcome.kind === 'held') return;
  const isFailed = outcome.kind === 'failed';
  span.end(isFailed ? outcome.failure : outcome.kind, isFailed, outcome.httpStatus);
}
