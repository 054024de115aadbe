import { DIGITS_OF_STORY, type Story } from '../../providers/sandbox/stories.ts';
import { tailEvents } from '../events/tail.ts';
import type { Session } from '../api/session.ts';
import { CommandError } from '../output/exit-status.ts';
import { print } from '../output/print.ts';
import { factsOf } from '../output/table.ts';

export interface TriggerOptions {
  readonly orderId?: string;
  readonly deposit?: true;
  readonly follow?: true;
  readonly json?: true;
}

/** From USDC on Base to USDC on Arbitrum. */
const ROUTE = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  toToken: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  recipient: '0x03508bb71268bba25ecacc8f620e01866650532c',
} as const;

export async function trigger(session: Session, story: Story, options: TriggerOptions): Promise<void> {
  const { api } = session;
  const { orderId, deposit, follow, json } = options;
  const { data: whoami } = await api.call('get', '/api/whoami');
  // A quote of a real provider would be an offer that someone may pay.
  if (!whoami.sandbox) throw new CommandError(`The Paybell at ${api.url} has a real provider: no sandbox.`);
  const amount = `25.${DIGITS_OF_STORY.get(story) ?? ''}`;
  const body = { ...ROUTE, amount, ...(orderId === undefined ? {} : { orderId }) };
  const { text, data } = await api.call('post', '/api/quote', { body });
  const { quoteId } = data;
  if (deposit === true) await api.call('post', '/sandbox/payments/{quoteId}/deposit', { path: { quoteId } });
  await print(
    json === true
      ? `${text}\n`
      : factsOf([
          ['quote id', quoteId],
          ['story', story],
          ['amount', amount],
        ]),
  );
  if (follow === true) await tailEvents(session, { quoteId, ...(json === true ? { json } : {}) });
}
