const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;

/** Equal for two spellings of one address: EVM addresses are the same in any case, all others only as they are. */
export function addressKey(address: string): string {
  return EVM_ADDRESS.test(address) ? address.toLowerCase() : address;
}
