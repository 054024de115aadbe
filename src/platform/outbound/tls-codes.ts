/**
 * The codes of Node and OpenSSL for a handshake that fails. OpenSSL's names for faults of a certificate have no common prefix,
 * and Node has further names.
 */
const HANDSHAKE = ['EPROTO$', 'ERR_(?:TLS|SSL|OSSL)_', 'HOSTNAME_MISMATCH'];
const CERTIFICATE = [
  'CERT_',
  'CRL_',
  'UNABLE_TO_',
  'DEPTH_ZERO_',
  'SELF_SIGNED_',
  'INVALID_',
  'PATH_LENGTH_',
  'ERROR_IN_C',
  'UNSPECIFIED$',
];
const TLS = new RegExp(`^(?:${[...HANDSHAKE, ...CERTIFICATE].join('|')})`);

/** Whether the code of an error says that no TLS was agreed on with the other side. */
export function isTlsCode(code: string): boolean {
  return TLS.test(code);
}
