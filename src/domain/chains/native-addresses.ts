/** The spec's address of every chain's native token. */
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** The addresses by which a service names the native token, by the chains' virtual machine. */
export const NATIVE_ADDRESSES: ReadonlyMap<string, string> = new Map([
  ['evm', ZERO_ADDRESS],
  ['svm', '1'.repeat(32)],
  ['bvm', 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8'],
  // The base58check form of 20 zero bytes.
  ['tvm', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
  ['tonvm', 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c'],
  ['xrpvm', 'xrp'],
]);

/** The addresses above, and others that stand for a native coin. */
const ALL: ReadonlySet<string> = new Set([
  ...NATIVE_ADDRESSES.values(),
  `0x${'e'.repeat(40)}`,
  // Polygon's native coin, as the address of a contract.
  '0x0000000000000000000000000000000000001010',
  // Celo's native coin, whose token transfers move the coin: counted as a token as well, one transfer would prove two
  // payments.
  '0x471ece3750da237f93b8e339c536989b8978a438',
]);
const CASELESS = /^(?:0x|bc1)/i;

/** True where a quote means the native coin of a chain. Compares letter case only in forms of addresses where it matters. */
export function isNativeCoin(address: string): boolean {
  return ALL.has(CASELESS.test(address) ? address.toLowerCase() : address);
}
