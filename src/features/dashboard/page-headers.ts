const HSTS_SECONDS = 31_536_000;

/** Allows only resources that this site serves, and within the page only scripts and styles with the nonce. */
function contentPolicy(nonce: string | null): string {
  const ofNonce = nonce === null ? '' : ` 'nonce-${nonce}'`;
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'${ofNonce}`,
    `img-src 'self'`,
    `connect-src 'self'`,
    `font-src 'self'`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** The headers of the pages and their files. */
export function pageHeaders(nonce: string | null, isHttps: boolean): Record<string, string> {
  return {
    'content-security-policy': contentPolicy(nonce),
    'x-content-type-options': 'nosniff',
    // With no-referrer, browsers would send a form with `Origin: null`.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
    ...(isHttps ? { 'strict-transport-security': `max-age=${HSTS_SECONDS}` } : {}),
  };
}
