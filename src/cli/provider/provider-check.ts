import { HttpProvider } from '../../providers/http/http-provider.ts';
import { HTTP_PROVIDER_SETTINGS } from '../../providers/http/http-settings.ts';
import { ONECLICK_SETTINGS } from '../../providers/oneclick/oneclick-settings.ts';
import { RelayApi } from '../../providers/relay/relay-api.ts';
import { RELAY_SETTINGS } from '../../providers/relay/relay-settings.ts';
import type { Config } from '../../config/config.ts';
import { ChainflipAsking } from './chainflip-asking.ts';
import { ChainflipCheck } from './chainflip-check.ts';
import { CheckList } from './check-list.ts';
import { OneClickAsking } from './oneclick-asking.ts';
import { checkOneClick } from './oneclick-check.ts';
import { RelayCheck } from './relay-check.ts';
import { checkSpec } from './spec-check.ts';

/** Sends one of the configured providers a few requests that move no money. */
export async function checkProvider(config: Config, name: string): Promise<CheckList> {
  if (name === 'relay') return checkRelay(config);
  if (name === 'http') return checkHttp(config);
  if (name === 'oneclick') return checkOneClickBy(config);
  if (name === 'chainflip') return checkChainflip(config);
  return name === 'sandbox' ? sandbox() : unchecked(name);
}

async function checkRelay(config: Config): Promise<CheckList> {
  const { baseUrl, refundTo, ...keys } = config.of(RELAY_SETTINGS);
  const apiKey = keys.apiKey ?? '';
  const list = new CheckList(apiKey);
  const api = new RelayApi({
    baseUrl,
    apiKey,
    timeoutMs: config.requestsOf(RELAY_SETTINGS).timeoutMs,
    maxConcurrency: 1,
  });
  try {
    await new RelayCheck(api, list, { apiKey, refundTo: refundTo.get('evm') ?? null }).run();
  } finally {
    await api.close();
  }
  return list;
}

async function checkOneClickBy(config: Config): Promise<CheckList> {
  const list = new CheckList(config.of(ONECLICK_SETTINGS).apiKey);
  await checkOneClick(new OneClickAsking(config, list));
  return list;
}

async function checkChainflip(config: Config): Promise<CheckList> {
  const list = new CheckList();
  await new ChainflipCheck(new ChainflipAsking(config, list)).run();
  return list;
}

async function checkHttp(config: Config): Promise<CheckList> {
  const { baseUrl, apiKey, auth } = config.of(HTTP_PROVIDER_SETTINGS);
  const list = new CheckList(apiKey);
  const provider = new HttpProvider({
    baseUrl: baseUrl ?? '',
    apiKey,
    auth,
    timeoutMs: config.requestsOf(HTTP_PROVIDER_SETTINGS).timeoutMs,
    maxConcurrency: 1,
    maxRpm: 0,
  });
  try {
    await checkSpec(provider, list);
  } finally {
    await provider.close();
  }
  return list;
}

function sandbox(): CheckList {
  const list = new CheckList();
  list.ok('sandbox', 'simulated inside Paybell: it sends no requests, and no real money moves', true);
  return list;
}

/** A provider without a check here must not pass for the sandbox. */
function unchecked(provider: string): CheckList {
  const list = new CheckList();
  list.notTried(provider, 'there is no check of this provider', true);
  return list;
}
