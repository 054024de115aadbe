import { ChainflipStandIn } from '../chainflip-stand-in/chainflip-stand-in.ts';
import { USUAL } from '../chainflip-stand-in/limits.ts';
import { OneClickStandIn } from '../oneclick-stand-in/oneclick-stand-in.ts';
import { NO_LIMITS } from '../relay-stand-in/options.js';
import { RelayStandIn } from '../relay-stand-in/relay-stand-in.js';
import { ProviderStub } from '../testkit/provider-stub.ts';

const KEY = 'key-of-the-stand-ins';
const REFUND_TO = `0x${'ab'.repeat(20)}`;
const REFUND_TO_BITCOIN = 'bc1q4vxn43l44h30nkluqfxd9eckf45vr2awz38lwa';
const TX_HASH = `0x${'5e'.repeat(32)}`;

const FAULTS = { hang: 'hang', fail: 'json500', reset: 'reset', throttle: 'html429' } as const;

/** The parts of a quote by which a stand-in finds its payment. */
export interface Carried {
  readonly quoteId: string;
  /** The address to which the payer sends the money. */
  readonly address: string;
}

export type Sickness = 'hang' | 'fail' | 'reset' | 'throttle';

/** A stand-in for a provider, whose payments move when the caller says so. */
export interface Carrier {
  /** Its name in PROVIDER. */
  readonly name: string;
  /** Its settings in Paybell. */
  readonly env: Readonly<Record<string, string>>;
  /** The name of the setting for its URL. */
  readonly urlName: string;
  pay(payment: Carried): void;
  execute(payment: Carried): void;
  complete(payment: Carried): void;
  /** Sends the money back to the payer. */
  sendBack(payment: Carried): void;
  /** Each request fails in this way until a call with null. */
  fall(sickness: Sickness | null): void;
  /** Connections are refused from now on. */
  die(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export async function openHttp(): Promise<Carrier> {
  const stub = await ProviderStub.start(KEY);
  return {
    name: 'http',
    urlName: 'PROVIDER_BASE_URL',
    env: { PROVIDER_BASE_URL: stub.url, PROVIDER_API_KEY: KEY },
    pay: ({ quoteId }) => stub.setStatus(quoteId, { status: 'DEPOSIT_RECEIVED' }),
    execute: ({ quoteId }) => stub.setStatus(quoteId, { status: 'EXECUTING' }),
    complete: ({ quoteId }) => {
      const now = Math.floor(Date.now() / 1_000);
      const execution = { startedAt: now, completedAt: now, outputTxHash: TX_HASH, steps: [] };
      stub.setStatus(quoteId, { status: 'COMPLETED', execution });
    },
    sendBack: ({ quoteId }) => stub.setStatus(quoteId, { status: 'FAILED', error: 'refunded to the payer' }),
    fall: (sickness) => {
      stub.recover();
      if (sickness === 'hang' || sickness === 'reset') stub.fail(sickness);
      else if (sickness !== null) stub.fail({ status: sickness === 'fail' ? 500 : 429 });
    },
    die: () => stub.down(),
    comeBack: () => stub.up(),
    close: () => stub.close(),
  };
}

export async function openRelay(): Promise<Carrier> {
  const relay = await RelayStandIn.start({ apiKey: KEY, limits: NO_LIMITS });
  return {
    name: 'relay',
    urlName: 'RELAY_BASE_URL',
    env: { RELAY_BASE_URL: relay.url, RELAY_API_KEY: KEY, RELAY_REFUND_TO: `evm:${REFUND_TO}` },
    pay: ({ address }) => void relay.lives.deposit(address),
    execute: ({ address }) => void relay.lives.submit(address),
    complete: ({ address }) => void relay.lives.settle(address),
    sendBack: ({ address }) => void relay.lives.refund(address, { reason: 'SLIPPAGE' }),
    fall: (sickness) => fall(relay, sickness),
    die: () => relay.down(),
    comeBack: () => relay.up(),
    close: () => relay.close(),
  };
}

export async function openOneClick(): Promise<Carrier> {
  const oneClick = await OneClickStandIn.start({ apiKeys: [KEY] });
  return {
    name: 'oneclick',
    urlName: 'ONECLICK_BASE_URL',
    env: {
      ONECLICK_BASE_URL: oneClick.url,
      ONECLICK_API_KEY: KEY,
      ONECLICK_QUOTE_KEY: oneClick.signer.publicKey,
      ONECLICK_REFUND_TO: `evm:${REFUND_TO},btc:${REFUND_TO_BITCOIN}`,
    },
    pay: ({ address }) => oneClick.lives.know(address),
    execute: ({ address }) => oneClick.lives.deposit(address),
    complete: ({ address }) => {
      if (oneClick.order(address).life.deposits.length === 0) oneClick.lives.deposit(address);
      oneClick.lives.settle(address);
    },
    sendBack: ({ address }) => oneClick.lives.refund(address, 'AMOUNT_LESS_THAN_MIN_AMOUNT_OUT'),
    fall: (sickness) => fall(oneClick, sickness),
    die: () => oneClick.down(),
    comeBack: () => oneClick.up(),
    close: () => oneClick.close(),
  };
}

export async function openChainflip(): Promise<Carrier> {
  // All payments go to one recipient.
  const chainflip = await ChainflipStandIn.start({
    limits: { ...USUAL, channelsPerAddress: Number.POSITIVE_INFINITY },
  });
  const { lives } = chainflip;
  const take = (address: string): void => {
    if (chainflip.channel(address).deposits.length === 0) lives.deposit(address);
  };
  return {
    name: 'chainflip',
    urlName: 'CHAINFLIP_BASE_URL',
    env: {
      CHAINFLIP_BASE_URL: chainflip.url,
      CHAINFLIP_REFUND_TO: `evm:${REFUND_TO},btc:${REFUND_TO_BITCOIN}`,
      CHAINFLIP_MAX_CHANNELS: '100000',
    },
    pay: ({ address }) => lives.see(address),
    execute: ({ address }) => take(address),
    complete: ({ address }) => {
      take(address);
      lives.settle(address);
    },
    sendBack: ({ address }) => {
      take(address);
      lives.refund(address);
      lives.witnessRefund(address);
    },
    fall: (sickness) => fall(chainflip, sickness),
    die: () => chainflip.down(),
    comeBack: () => chainflip.up(),
    close: () => chainflip.close(),
  };
}

function fall(standIn: RelayStandIn | OneClickStandIn | ChainflipStandIn, sickness: Sickness | null): void {
  standIn.recover();
  if (sickness !== null) standIn.fault(FAULTS[sickness]);
}
