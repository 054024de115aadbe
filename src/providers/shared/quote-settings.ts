import { integer, list } from '../../config/kinds.ts';
import { ASKING, type Refuse, type Setting } from '../../config/setting.ts';

const FAMILY_ADDRESS = /^([a-z][a-z0-9]{1,15}):([A-Za-z0-9_:.-]{1,128})$/;
/** Chains by the names that people use, and the form of their addresses. */
const FAMILIES: Readonly<Record<string, string>> = {
  btc: 'bvm',
  sol: 'svm',
  tron: 'tvm',
  ton: 'tonvm',
  xrp: 'xrpvm',
  ltc: 'litecoin',
  doge: 'dogecoin',
  zec: 'zcash',
  bch: 'bitcoincash',
  ada: 'cardano',
  apt: 'aptos',
  strk: 'starknet',
  xlm: 'stellar',
  dot: 'substrate',
};

/** Why refunds cannot go to an address; null: they can. */
type Problem = (vmType: string, address: string) => string | null;

/** The settings of a provider whose quotes the adapter makes: where refunds go, and how long a quote lives. */
export function quoteRows(prefix: string, problemOf: Problem) {
  return {
    refundTo: list(
      `${prefix}_REFUND_TO`,
      {
        agreed: ASKING,
        text: 'your refund address for each kind of chain (`vmType`) that payers send from',
      },
      '`evm:0x…,btc:bc1…`',
      (words, refuse) => refundTo(words, refuse, problemOf),
    ),
    quoteTtlSeconds: integer(`${prefix}_QUOTE_TTL_SECONDS`, {
      default: 300,
      min: 30,
      max: 86_400,
      agreed: ASKING,
      text: "a quote's `expiresIn`, after which it is EXPIRED if unpaid",
    }),
  };
}

/** Your fee of each payment, in hundredths of a percent. */
export interface AppFee {
  readonly recipient: string;
  readonly fee: number;
}

interface AppFeesForm {
  readonly text: string;
  /** Finds the recipient and the fee in a word. */
  readonly pattern: RegExp;
  readonly recipient: string;
  readonly example: string;
  readonly mostBps: number;
}

export function appFeesRow(name: string, its: AppFeesForm): Setting<readonly AppFee[]> {
  return list(name, { agreed: ASKING, text: its.text }, `\`${its.example},…\``, (words, refuse) => {
    const fees = words.map((word) => {
      const [, recipient = '', bps = '0'] = its.pattern.exec(word) ?? [];
      if (recipient === '')
        refuse(`has "${word}", which is not ${its.recipient} and hundredths of a percent: ${its.example}`);
      return { recipient, fee: Number(bps) };
    });
    if (fees.reduce((sum, { fee }) => sum + fee, 0) > its.mostBps)
      refuse(`takes too much: ${its.mostBps} in all at most`);
    return fees;
  });
}

/** The refund address by the origin chain's `vmType`. */
function refundTo(words: readonly string[], refuse: Refuse, problemOf: Problem): ReadonlyMap<string, string> {
  const addresses = new Map<string, string>();
  for (const word of words) {
    const [, name = '', address = ''] = FAMILY_ADDRESS.exec(word) ?? [];
    const vmType = FAMILIES[name] ?? name;
    const problem = address === '' ? 'which is not like evm:0x… or btc:bc1…' : problemOf(vmType, address);
    if (problem !== null) refuse(`has "${word}", ${problem}`);
    else if (addresses.has(vmType)) refuse(`has two addresses for ${name}`);
    else addresses.set(vmType, address);
  }
  return addresses;
}
