import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const ADDRESS = /^0x([\da-fA-F]{40})$/;
const UPPER_FROM = 8;

/** True for an EVM address in mixed case that is not its checksum (EIP-55). An address in a single case has no checksum. */
export function isMistyped(text: string): boolean {
  const digits = ADDRESS.exec(text)?.[1];
  if (digits === undefined || digits === digits.toLowerCase() || digits === digits.toUpperCase())
    return false;
  const lower = digits.toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  const checksum = lower.replace(/[a-f]/g, (letter, index: number) =>
    Number.parseInt(hash.charAt(index), 16) >= UPPER_FROM ? letter.toUpperCase() : letter,
  );
  return digits !== checksum;
}
