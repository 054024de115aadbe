/** The actions of the audit log, in words. */
const WORDS: Readonly<Record<string, string>> = {
  'endpoint.create': 'Added an endpoint',
  'endpoint.change': 'Changed an endpoint',
  'endpoint.delete': 'Deleted an endpoint',
  'endpoint.test': 'Sent a test',
  'endpoint.rotate_secret': 'Rotated a secret',
  'endpoint.recover': 'Began a recovery',
  'endpoint.cancel_recovery': 'Ended a recovery',
  'delivery.retry': 'Sent a delivery again',
  'payment.track': 'Handed over a quote',
  'payment.link': "Made a payer's link",
  'payment.deposit': "Passed on a payer's transaction",
  'payment.resolve': 'Resolved a payment',
  'payment.unresolve': 'Took a resolution back',
  'payment.release': 'Released a withheld payment',
  'key.create': 'Made a key',
  'key.revoke': 'Revoked a key',
  'session.sign_in': 'Signed in',
  'session.sign_out': 'Signed out',
  'session.end': 'Ended a session',
  'session.end_all': 'Ended all sessions',
  'sandbox.deposit': 'Paid in the sandbox',
  'request.refused': 'Had more requests refused',
  'payments.adopt': 'Adopted payments',
  'database.restored': 'Said that the database was restored',
};

export const ACTIONS = Object.keys(WORDS);

/** An unknown action of a newer Paybell is shown unchanged. */
export function actionWords(action: string): string {
  return WORDS[action] ?? action;
}
