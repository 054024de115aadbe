import { readNumber } from '../environment.ts';
import { type ChainflipAsking, fieldsIn } from './chainflip-asking.ts';

/** The state chain's limits by which the adapter refuses an amount. */
export async function checkLimits(asking: ChainflipAsking): Promise<void> {
  const check = 'limits of the state chain';
  if (asking.rpcUrl === null) return asking.list.notTried(check, 'CHAINFLIP_RPC_URL is not set');
  const call = { jsonrpc: '2.0', id: '1', method: 'cf_environment', params: [] };
  const answer = await asking.fetch(asking.rpcUrl, call);
  const result = fieldsIn(answer.json, 'result');
  const [chains, swapping] = [fieldsIn(result, 'ingress_egress'), fieldsIn(result, 'swapping')];
  const fees = fieldsIn(fieldsIn(swapping, 'network_fees'), 'regular_network_fee');
  const figures = [
    ['least deposit', fieldsIn(fieldsIn(chains, 'minimum_deposit_amounts'), 'Ethereum')['USDC']],
    ['least output', fieldsIn(fieldsIn(chains, 'egress_dust_limits'), 'Arbitrum')['USDC']],
    ['least network fee', fieldsIn(fees, 'standard_rate_and_minimum')['minimum']],
    ['most blocks of retry', swapping['max_swap_retry_duration_blocks']],
  ].map(([name, value]) => [String(name), readNumber(value)] as const);
  const saw = figures.map(([name, value]) => `${name} ${value === null ? 'unreadable' : String(value)}`);
  const isRead = figures.every(([, value]) => value !== null);
  const expected = "USDC's least amounts and fee, and the longest retry";
  asking.say(check, expected, answer.status === 0 ? answer.text : saw.join(', '), isRead);
}
