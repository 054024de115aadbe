/** An output that can be spent. */
export interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly value: bigint;
}

export interface Output {
  /** In hexadecimal digits. */
  readonly script: string;
  /** In the smallest units. */
  readonly value: bigint;
}

/** The sequence number that allows a transaction with a higher fee to replace this one. */
const REPLACEABLE = 'fdffffff';

/**
 * A transaction without signatures, in hexadecimal digits. The RPC of a node refuses two outputs to one address, and chooses
 * the order of outputs itself.
 */
export function unsigned(coins: readonly Coin[], outputs: readonly Output[]): string {
  const inputs = coins.map(
    ({ txid, vout }) =>
      `${Buffer.from(txid, 'hex').reverse().toString('hex')}${little(BigInt(vout), 4)}00${REPLACEABLE}`,
  );
  const paid = outputs.map(({ script, value }) => `${little(value, 8)}${count(script.length / 2)}${script}`);
  return `02000000${count(inputs.length)}${inputs.join('')}${count(paid.length)}${paid.join('')}00000000`;
}

function count(number: number): string {
  return number < 0xfd ? little(BigInt(number), 1) : `fd${little(BigInt(number), 2)}`;
}

function little(value: bigint, bytes: number): string {
  return Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex')
    .reverse()
    .toString('hex');
}
