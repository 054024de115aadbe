import { call } from './client.ts';
import type { Attempt, DeliveryDetail } from './types.ts';

/** The result of an attempt that a person requested; `attempt` is null if none was made in time. */
export interface Resent {
  readonly delivery: DeliveryDetail;
  readonly attempt: Attempt | null;
}

const LOOK_EVERY_MS = 300;
/** A little longer than the default time-out of an endpoint's answer. */
const PATIENCE_MS = 20_000;

/** Sends a delivery again, and waits for its endpoint's answer. */
export async function resend(id: string): Promise<Resent> {
  const read = (): Promise<DeliveryDetail> => call('get', '/api/webhook-deliveries/{id}', { path: { id } });
  const { attemptCount } = await read();
  let delivery: DeliveryDetail = await call('post', '/api/webhook-deliveries/{id}/retry', { path: { id } });
  const until = Date.now() + PATIENCE_MS;
  while (!isMade(delivery, attemptCount) && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    delivery = await read();
  }
  return { delivery, attempt: isMade(delivery, attemptCount) ? (delivery.attempts.at(-1) ?? null) : null };
}

/** An attempt is counted when it begins, and listed when it has ended. */
function isMade({ attempts }: DeliveryDetail, before: number): boolean {
  return (attempts.at(-1)?.number ?? 0) > before;
}
