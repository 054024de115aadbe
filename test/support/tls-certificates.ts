import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate with its key, both in PEM, only for tests. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
}

interface Authority extends Certified {
  readonly name: string;
  readonly signer: KeyObject;
}

interface Subject {
  readonly name: string;
  /** Left out: the certificate signs itself. */
  readonly by?: Authority;
  readonly isAuthority?: boolean;
  /** False: only the common name has the name. */
  readonly hasAltName?: boolean;
  /** The years in which the validity begins and ends. */
  readonly years?: readonly [from: number, to: number];
}

const SEQUENCE = 0x30;
const oid = (...bytes: number[]): Buffer => der(0x06, Buffer.from(bytes));
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const BASIC_CONSTRAINTS = oid(0x55, 0x1d, 0x13);
const ALT_NAME = oid(0x55, 0x1d, 0x11);
const ECDSA_WITH_SHA256 = der(SEQUENCE, oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const VERSION_3 = der(0xa0, der(0x02, Buffer.from([2])));
const IS_AUTHORITY = der(SEQUENCE, der(0x01, Buffer.from([0xff])));

/** One value in DER: its tag, its length and its parts. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const nameOf = (name: string): Buffer =>
  der(SEQUENCE, der(0x31, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from(name)))));
const timeOf = (year: number): Buffer => der(0x18, Buffer.from(`${year}0101000000Z`));
const extension = (id: Buffer, value: Buffer): Buffer => der(SEQUENCE, id, der(0x04, value));

/** Makes a certificate and its key, with the parts of X.509 that a TLS test needs. */
export function certify({
  name,
  by,
  isAuthority = false,
  hasAltName = true,
  years = [2020, 2120],
}: Subject): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const altName = der(SEQUENCE, der(0x82, Buffer.from(name)));
  const extensions = [
    ...(isAuthority ? [extension(BASIC_CONSTRAINTS, IS_AUTHORITY)] : []),
    ...(hasAltName && !isAuthority ? [extension(ALT_NAME, altName)] : []),
  ];
  const signed = der(
    SEQUENCE,
    VERSION_3,
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    nameOf(by?.name ?? name),
    der(SEQUENCE, timeOf(years[0]), timeOf(years[1])),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(0xa3, der(SEQUENCE, ...extensions))]),
  );
  const signature = sign('sha256', signed, by?.signer ?? privateKey);
  const all = der(SEQUENCE, signed, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  const lines = all.toString('base64').match(/.{1,64}/g) ?? [];
  const cert = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join('\n');
  return { name, cert, key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), signer: privateKey };
}

/** An authority of the tests' own, and its certificate for shop.test. */
export const TEST_AUTHORITY = certify({ name: 'Paybell test CA', isAuthority: true });
export const SHOP = certify({ name: 'shop.test', by: TEST_AUTHORITY });
