// @ts-check
/** Ids, addresses and transaction hashes in each chain's real form. */
import { createHash, randomBytes } from 'node:crypto';

import { base32, base58, base58xrp, base64url, bech32, createBase58check } from '@scure/base';

/** @typedef {'evm' | 'svm' | 'bvm' | 'tvm' | 'tonvm' | 'movevm' | 'xrp' | 'near' | 'stellar' | 'substrate'} VmType how a chain writes addresses */

const TRON_PREFIX = 0x41;
const EVM_BYTES = 20;
const TON_DIGITS = 46;
const XRP_DIGITS = 32;
const STELLAR_DIGITS = 55;
const POLKADOT = 0;
const SS58_CHECK_BYTES = 2;
const FORMS = {
  evm: /^0x[0-9a-fA-F]{40}$/,
  svm: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  bvm: /^(bc1[02-9ac-hj-np-z]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
  tvm: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
  tonvm: /^[EU]Q[\w-]{46}$/,
  movevm: /^0x[0-9a-fA-F]{1,64}$/,
  xrp: /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/,
  near: /^([0-9a-f]{64}|[a-z0-9][a-z0-9._-]{1,62}\.near)$/,
  stellar: /^G[A-Z2-7]{55}$/,
  substrate: /^(1[1-9A-HJ-NP-Za-km-z]{46,47}|0x[0-9a-fA-F]{64})$/,
};
const tron = createBase58check((/** @type {Uint8Array} */ data) => sha256(data));

/** The address that is made of 32 bytes. @type {Readonly<Record<VmType, (hash: Buffer) => string>>} */
const ADDRESS_OF = {
  evm: (hash) => `0x${hash.toString('hex').slice(0, EVM_BYTES * 2)}`,
  svm: (hash) => base58.encode(hash),
  bvm: (hash) => bech32.encode('bc', [0, ...bech32.toWords(hash.subarray(0, EVM_BYTES))]),
  tvm: (hash) => tron.encode(Buffer.from([TRON_PREFIX, ...hash.subarray(0, EVM_BYTES)])),
  tonvm: (hash) => `EQ${base64url.encode(Buffer.concat([hash, hash.subarray(0, 2)])).slice(0, TON_DIGITS)}`,
  movevm: (hash) => `0x${hash.toString('hex')}`,
  xrp: (hash) => `r${base58xrp.encode(hash).slice(0, XRP_DIGITS)}`,
  near: (hash) => hash.toString('hex'),
  stellar: (hash) => `G${base32.encode(Buffer.concat([hash, hash])).slice(0, STELLAR_DIGITS)}`,
  substrate: (hash) => ss58(Buffer.concat([Buffer.from([POLKADOT]), hash])),
};

/** True if the text has the form of this chain's addresses. */
export function isAddress(/** @type {unknown} */ address, /** @type {VmType} */ vmType) {
  return typeof address === 'string' && FORMS[vmType].test(address);
}

/** An address in the chain's form, the same for the same seed. */
export function addressFrom(/** @type {string} */ seed, /** @type {VmType} */ vmType) {
  return ADDRESS_OF[vmType](sha256(Buffer.from(seed)));
}

/** A transaction's hash in the chain's form, another at each call. */
export function newTxHash(/** @type {VmType} */ vmType) {
  if (vmType === 'svm') return base58.encode(randomBytes(64));
  if (vmType === 'near') return base58.encode(randomBytes(32));
  return `${vmType === 'evm' || vmType === 'movevm' ? '0x' : ''}${randomBytes(32).toString('hex')}`;
}

function ss58(/** @type {Uint8Array} */ data) {
  const check = createHash('blake2b512').update('SS58PRE').update(data).digest();
  return base58.encode(Buffer.concat([data, check.subarray(0, SS58_CHECK_BYTES)]));
}

function sha256(/** @type {Uint8Array} */ data) {
  return createHash('sha256').update(data).digest();
}
