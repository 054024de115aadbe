import { call } from './client.ts';
import type { Attempt, DeliveryDetail } from './types.ts';

/** How the attempt went that a person asked for; `attempt` is null where none was made in time. */
export interface Resent {
  readonly delivery: DeliveryDetail;
  readonly attempt: Attempt | null;
}

const LOOK_EVERY_MS = 300;
/** A little longer than an endpoint may take to answer by default. */
const PATIENCE_MS = 20_000;

/** Sends a delivery again, and waits for what its endpoint answers. */
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

/** An attempt is counted when it begins, and has its entry when it has ended. */
function isMade({ attempts }: DeliveryDetail, before: number): boolean {
  return (attempts.at(-1)?.number ?? 0) > before;
}
