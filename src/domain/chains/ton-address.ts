/** 36 bytes in base64, in the URL alphabet or the usual one: 48 characters need no padding. */
const FRIENDLY = /^[\w+/-]{48}$/;
const RAW = /^-?\d{1,3}:[\da-f]{64}$/i;
/** The tags without the bit of test networks. With the first tag, a transfer that the account cannot take comes back. */
const TAGS: ReadonlySet<number> = new Set([0x11, 0x51]);
const CHECKED_BYTES = 34;

/**
 * The account of an address of TON as its workchain and its hash, however the address is written; null: the text is no
 * address, or mistyped.
 */
export function tonAddress(text: string): string | null {
  if (RAW.test(text)) return text.toLowerCase();
  if (!FRIENDLY.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  const isWell = TAGS.has(bytes.readUInt8(0)) && bytes.readUInt16BE(CHECKED_BYTES) === crc16(bytes);
  return isWell ? `${bytes.readInt8(1)}:${bytes.toString('hex', 2, CHECKED_BYTES)}` : null;
}

/** CRC-16/XMODEM, which the last two bytes of an address hold. */
function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes.subarray(0, CHECKED_BYTES)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x80_00 ? 0x10_21 : 0)) & 0xff_ff;
  }
  return crc;
}
