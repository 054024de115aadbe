/** A speed that suits a test; it applies to the polling and to the stories alike. */
export const SANDBOX = {
  PROVIDER: 'sandbox',
  SANDBOX_SPEED: '20',
  POLL_INTERVAL_MS: '7000',
  POLL_MIN_GAP_MS: '5000',
};
