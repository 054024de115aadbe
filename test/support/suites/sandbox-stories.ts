/** Fast enough for a test; the polling runs as much faster as the stories. */
export const SANDBOX = {
  PROVIDER: 'sandbox',
  SANDBOX_SPEED: '20',
  POLL_INTERVAL_MS: '7000',
  POLL_MIN_GAP_MS: '5000',
};
