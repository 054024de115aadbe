import { createPublicKey, verify } from 'node:crypto';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Whether one of the signatures is a `v1a` of this `whpk_…`, checked as by a receiver that has only Node. */
export function isSignedWith(publicKey: string | null, headers: Headers, body: string | Buffer): boolean {
  const x = Buffer.from((publicKey ?? '').replace('whpk_', ''), 'base64').toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  const signed = Buffer.concat([
    Buffer.from(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`),
    Buffer.from(body),
  ]);
  const signatures = String(headers['webhook-signature']).split(' ');
  return signatures
    .filter((each) => each.startsWith('v1a,'))
    .some((each) => verify(null, signed, key, Buffer.from(each.slice('v1a,'.length), 'base64')));
}
