const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;

/** A key that is equal for two spellings of one address: the case of an EVM address does not count, that of others does. */
export function addressKey(address: string): string {
  return EVM_ADDRESS.test(address) ? address.toLowerCase() : address;
}
