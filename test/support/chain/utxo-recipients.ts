import { addressOf, LITECOIN, witnessScript } from '../../../tools/utxo-stand-in/addresses.ts';

/** A script, and how people of Litecoin write it. */
export interface Recipient {
  readonly script: string;
  readonly address: string;
}

let recipients = 0;

/** A recipient that nothing was sent to before. */
export function newRecipient(): Recipient {
  recipients += 1;
  return recipientOf(witnessScript(`${recipients.toString(16).padStart(4, '0')}${'cd'.repeat(18)}`));
}

export function recipientOf(script: string): Recipient {
  return { script, address: addressOf(LITECOIN, script) ?? '' };
}
