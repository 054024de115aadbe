import { readInstant } from '../../domain/payment/reading.ts';
import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import { cleanProviderText } from '../connection/clean-provider-text.ts';
import { type JsonApi, valueOrError } from '../shared/json-api.ts';
import { fieldsOf, readWord } from '../shared/fields.ts';
import { refused } from '../shared/order-checks.ts';
import { failedOf, type Check, type Reading } from '../shared/quote-reading.ts';
import { isSameAddress, isWalletAddress } from '../shared/vm-addresses.ts';
import { namesOf } from './assets.ts';
import { readNumber } from './environment.ts';
import { type Order, refusalOf } from './order.ts';
import type { Price } from './price.ts';

/** A deposit channel that was opened for an order. */
export interface Opened {
  readonly channelId: string;
  readonly depositAddress: string;
  /** When the channel closes by Chainflip's estimate; null: not known. */
  readonly closesAt: Date | null;
  /** True for a channel of a broker: Chainflip's backend knows it only once it has seen the channel's block. */
  readonly isIndexedLater: boolean;
}

const ID = /^\d{1,20}-([A-Za-z]{1,40})-\d{1,20}$/;
const REQUEST_ID = '1';

/**
 * Opens a channel at Chainflip's backend. It takes 4 to 20 s and is never repeated: a failed request may have opened the
 * channel.
 */
export async function openChannel(
  api: Pick<JsonApi, 'post'>,
  order: Order,
  price: Price,
): Promise<Reading<Opened>> {
  const answer = valueOrError(
    await api.post('/api/openSwapDepositChannel', {
      srcAsset: namesOf(order.from),
      destAsset: namesOf(order.to),
      destAddress: order.recipient,
      amount: order.amount,
      fillOrKillParams: {
        retryDurationBlocks: price.retryBlocks,
        refundAddress: order.refundTo,
        minPriceX128: price.minPriceX128.toString(),
        maxOraclePriceSlippage: price.oracleSlippageBps,
        refundCcmMetadata: null,
      },
      quote: price.echo,
      takeCommission: false,
    }),
  );
  if (answer.kind === 'error') throw refusalOf(answer.message, order);
  const { id, depositAddress, estimatedExpiryTime, maxBoostFeeBps = 0 } = fieldsOf(answer.value);
  const closesAt = readInstant(estimatedExpiryTime);
  const opened = { channelId: readWord(id), depositAddress: readWord(depositAddress) };
  return checked({ ...opened, closesAt, isIndexedLater: false }, order, [['boost', maxBoostFeeBps === 0]]);
}

/** Opens a channel by a broker's JSON-RPC. The broker's answers may contain its URL and key, so that none is shown. */
export async function openByBroker(
  broker: Pick<JsonApi, 'post'>,
  order: Order,
  price: Price,
  commissionBps: number,
): Promise<Reading<Opened>> {
  const call = {
    jsonrpc: '2.0',
    id: REQUEST_ID,
    method: 'broker_request_swap_deposit_address',
    params: brokerParams(order, price, commissionBps),
  };
  const answer = valueOrError(await broker.post('', call));
  if (answer.kind === 'error') throw new ProviderUnavailable('the broker refused the request');
  const { result, error } = fieldsOf(answer.value);
  const words = cleanProviderText(readWord(fieldsOf(error)['message']) ?? '', null);
  // The backend has already quoted what a broker refuses, so the broker's words decide; unknown words mean trouble at the
  // broker.
  if (error !== undefined && /address|invalid param/i.test(words))
    throw refused(`The broker refused this: ${words}`, /address/i.test(words) ? 'recipient' : null);
  if (error !== undefined) throw new ProviderUnavailable('the broker opened no channel');
  const { address, issued_block: block, channel_id: channel } = fieldsOf(result);
  const [at, number] = [readNumber(block), readNumber(channel)];
  const channelId = at === null || number === null ? null : `${at}-${order.from.word}-${number}`;
  const opened = { channelId, depositAddress: readWord(address), closesAt: null, isIndexedLater: true };
  return checked(opened, order);
}

function brokerParams(order: Order, price: Price, commissionBps: number): readonly unknown[] {
  return [
    namesOf(order.from),
    namesOf(order.to),
    order.recipient,
    commissionBps,
    null,
    null,
    null,
    {
      retry_duration: price.retryBlocks,
      refund_address: order.refundTo,
      min_price: `0x${price.minPriceX128.toString(16)}`,
      max_oracle_price_slippage: price.oracleSlippageBps,
      refund_ccm_metadata: null,
    },
    null,
  ];
}

type Unchecked = Omit<Opened, 'channelId' | 'depositAddress'> & {
  readonly channelId: string | null;
  readonly depositAddress: string | null;
};

function checked(
  { channelId, depositAddress, ...others }: Unchecked,
  { from, to, refundTo, recipient }: Order,
  more: readonly Check[] = [],
): Reading<Opened> {
  const { vmType } = from.chain;
  const isOther = (address: string, vm: string): boolean =>
    depositAddress !== null && !isSameAddress(depositAddress, address, vm);
  const check = failedOf([
    ['channel', channelId !== null && ID.exec(channelId)?.[1] === from.word],
    ['deposit address', depositAddress !== null && isWalletAddress(depositAddress, vmType)],
    ['deposit address of ours', isOther(refundTo, vmType) && isOther(recipient, to.chain.vmType)],
    ...more,
  ]);
  if (check !== null || channelId === null || depositAddress === null)
    return { kind: 'unsafe', check: check ?? 'channel' };
  return { kind: 'good', value: { channelId, depositAddress, ...others } };
}
