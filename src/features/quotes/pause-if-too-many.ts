import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import type { ProviderCell } from '../../ports/provider-cell.ts';

/** How long quotes pause after the provider has answered that there were too many, without a Retry-After. */
const TOO_MANY_MS = 10_000;

/** Pauses the quotes of a provider that has answered that there were too many. Returns the error to throw. */
export async function pauseIfTooMany({ quoteBudget }: ProviderCell, error: unknown): Promise<unknown> {
  if (!(error instanceof ProviderUnavailable) || !error.isTooMany) return error;
  const pauseMs = error.retryAfterMs ?? TOO_MANY_MS;
  await quoteBudget.pause(pauseMs);
  return new ProviderUnavailable(error.reason, pauseMs);
}
