/** Paybell's own codes, for failures where the connection shows more than the error's code. */
export const OWN_CODES = {
  commonNameOnly: 'CERT_WITHOUT_ALT_NAME',
  certificateDemanded: 'CLIENT_CERTIFICATE_DEMANDED',
  handshakeClosed: 'TLS_HANDSHAKE_CLOSED',
  closedUnanswered: 'CLOSED_UNANSWERED',
  httpToTls: 'HTTP_TO_TLS_PORT',
  http2Only: 'HTTP2_ONLY',
  unreadable: 'UNREADABLE_ANSWER',
} as const;

const TRUST = 'name its certificate in NODE_EXTRA_CA_CERTS where Paybell runs';
const NO_CLIENT_CERTIFICATE =
  'The server asked for a client certificate, which Paybell does not send, and refused or closed the connection: let requests to this URL in without one, the signature of each proves its sender.';
const NO_TLS =
  'The port does not speak TLS: correct the port, or the https:// of the URL, or enable TLS there.';
const OLD_PROTOCOL = 'The server speaks no newer TLS than 1.1: enable TLS 1.2 or 1.3 there.';
const HTTP2_ONLY = 'The server speaks HTTP/2 only: enable HTTP/1.1 there, in which webhooks are sent.';
const UNKNOWN_AUTHORITY = `The certificate is of an authority that is not trusted here, or intermediate certificates are missing: let the server send its whole chain, or, of a private authority, ${TRUST}.`;
const NO_ROUTE = 'There is no way to the host: look at the routes and firewalls between here and there.';
const NAME_SERVER = 'The name server gave no answer: look at the DNS of the machine on which Paybell runs.';
const UNREADABLE = 'The answer is no HTTP/1.1: see which program listens at the host and port of the URL.';

/** A sentence with the cause and the remedy for each pattern of codes; the first match counts. */
const BY_CODE: readonly (readonly [code: RegExp, advice: string])[] = [
  [/^CERT_HAS_EXPIRED$/, 'A certificate of the server has expired: renew it, and have the server load it.'],
  [
    /^CERT_NOT_YET_VALID$/,
    'A certificate of the server is not valid yet: correct the clock of this machine, or have a new one issued.',
  ],
  [
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    `The server's certificate is self-signed: have one issued by an authority, or ${TRUST}.`,
  ],
  [
    /^SELF_SIGNED_CERT_IN_CHAIN$/,
    `The server's chain ends in a self-signed certificate of an unknown authority: ${TRUST}, or use a public authority.`,
  ],
  [
    /^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/,
    `The server sends no intermediate certificate: browsers hide this, most libraries don't; let it send its whole chain (fullchain.pem), or, of a private authority, ${TRUST}.`,
  ],
  [/^(UNABLE_TO_GET_ISSUER|CERT_UNTRUSTED|INVALID_CA)/, UNKNOWN_AUTHORITY],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    'The certificate is for another name than the one in the URL: have one issued for it, or correct the URL.',
  ],
  [
    /^CERT_WITHOUT_ALT_NAME$/,
    'The certificate has its name as a common name only, which RFC 9525 forbids: have one issued with a subjectAltName.',
  ],
  [
    /^(CERT_SIGNATURE_FAILURE|ERR_SSL_.*(KEY_TOO_SMALL|MD_TOO_WEAK|BAD_ECPOINT|WRONG_SIGNATURE_TYPE).*)$/,
    'The key or the signature of the certificate is too weak or broken: have one issued with a key of today.',
  ],
  [
    /^(INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|INVALID_CA|UNSPECIFIED)$/,
    'A certificate of the chain may not be used so (its purpose, its name constraints, an extension, the length of its path, or a weak key): have one issued for a TLS server by an authority that may.',
  ],
  [/CLIENT_CERTIFICATE_DEMANDED|ALERT_(CERTIFICATE_REQUIRED|(NO|BAD)_CERTIFICATE)$/, NO_CLIENT_CERTIFICATE],
  [
    /^ERR_SSL_.*(PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW|UNSUPPORTED_SSL_VERSION|WRONG_SSL_VERSION)$/,
    OLD_PROTOCOL,
  ],
  [/^(HTTP2_ONLY|ERR_SSL_.*NO_APPLICATION_PROTOCOL)$/, HTTP2_ONLY],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL|RECORD_TOO_SMALL)$/,
    NO_TLS,
  ],
  [
    /^ERR_SSL_.*(HANDSHAKE_FAILURE|INSUFFICIENT_SECURITY|UNRECOGNIZED_NAME|ALERT_INTERNAL_ERROR|ALERT_ACCESS_DENIED)$/,
    'The server refuses the TLS handshake: it has no certificate for the name in the URL, shares no cipher, or demands a client certificate; its log says which.',
  ],
  [
    /^TLS_HANDSHAKE_CLOSED$/,
    'The server closed the connection in the TLS handshake: see whether the port speaks TLS, and whether a firewall or a proxy keeps this machine out.',
  ],
  [/^HTTP_TO_TLS_PORT$/, 'The port speaks TLS, and the URL begins with http://: change it to https://.'],
  [
    /^CLOSED_UNANSWERED$/,
    'The server closed the connection without an answer: if its port speaks TLS, the URL must begin with https://; else see its log, and whether a firewall or a proxy keeps this machine out.',
  ],
  [
    /^ENOTFOUND$|^ENODATA$/,
    'The host name has no address: look for a slip in the URL, and for the name in the DNS.',
  ],
  [/^(EAI_|ESERVFAIL)/, NAME_SERVER],
  [
    /^ECONNREFUSED$/,
    'No program listens there: see whether the shop runs, and whether the port of the URL is right.',
  ],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, NO_ROUTE],
  [/^(UNREADABLE_ANSWER$|HPE_(?!HEADER_OVERFLOW))/, UNREADABLE],
];

/** Remedies by the class of a failure. */
const BY_CLASS: Readonly<Record<string, string>> = {
  status: 'Look into the log of the shop at the time of the attempt; its answer is kept with the delivery.',
  timeout: 'Acknowledge first and do the slow work afterwards, or look whether the shop is overloaded.',
  refused: 'See whether the shop runs, and whether its firewall lets this machine in.',
  reset: 'A proxy or a load balancer before the shop may close connections too early.',
  dns: 'Check the URL for a slip, and the name in the DNS.',
  tls: "Renew the shop's certificate, or send its whole chain.",
  redirect: 'Redirects are not followed: change the URL to where it leads.',
  gone: 'It asked for no more events and was disabled. Enable it once it takes events again.',
  blocked_address:
    'The name leads to a private address. Allow its range in WEBHOOK_ALLOWED_CIDRS if that is right.',
  nack: 'A bound queue is full: have it consumed, or raise its limit. The event is published again.',
  broker_refused:
    'Grant the permission, or raise the limit, that its words name. The event is published again.',
  unroutable: 'Bind a queue to the exchange for it, or leave it: later events do not wait.',
  away: 'Start the broker, or correct RABBITMQ_URL. What waits is published by itself.',
  refuses: 'Its words name the cause: a permission, a limit, a full queue, or an alarm of the broker.',
  too_large: 'Answer with fewer headers: more than 16 KiB or 200 lines are not read.',
};

/** The cause behind a code, and the remedy, in a sentence; null: the code has none of its own. */
export function adviceOnCode(code: string | null): string | null {
  if (code === null) return null;
  return BY_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? null;
}

/** The remedy for a failed attempt, in a sentence. */
export function adviceOn(failure: string, code: string | null): string {
  return adviceOnCode(code) ?? BY_CLASS[failure] ?? 'Look into the delivery and the log.';
}
