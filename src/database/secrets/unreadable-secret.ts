import { SecretUnreadable } from './secret-box.ts';

/** Tells an operator the effect of a secret that cannot be decrypted, and the remedy. */
export function unreadableWords(endpoint: string, error: unknown): string {
  if (!(error instanceof SecretUnreadable)) return `The secret of endpoint ${endpoint} cannot be read now`;
  const [cause, remedy] = error.isOfOtherKey
    ? [
        'ENCRYPTION_KEY has changed',
        "Set the old key as ENCRYPTION_KEY_PREVIOUS, or rotate the endpoint's secret",
      ]
    : ['Its stored secret cannot be decrypted with any key', "Rotate the endpoint's secret"];
  return `${cause}; endpoint ${endpoint} gets no webhooks. ${remedy}. (${error.message}.)`;
}
