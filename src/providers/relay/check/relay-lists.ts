import type { RelayAnswer, RelayApi } from '../relay-api.ts';
import type { CheckList } from '../../shared/check-list.ts';
import { countCurrencies, readChainFigures } from './relay-samples.ts';

const MAX_LIST_BYTES = 4 * 1024 * 1024;
const SEARCH = { term: 'usdc', chainIds: [8453], limit: 5 };

/** Adds the result to the list and returns null, or returns an unusable answer. */
export async function checkChains(api: Pick<RelayApi, 'get'>, list: CheckList): Promise<RelayAnswer | null> {
  const answer = await api.get('/chains', MAX_LIST_BYTES);
  const figures = answer.kind === 'json' ? readChainFigures(answer.value) : null;
  if (figures === null) return answer;
  const { all, payable, missing } = figures;
  const words = `${all} chains, ${payable} of them payable by deposit address`;
  if (payable === 0) list.differs('chains', words, true);
  else list.ok('chains', words, true);
  if (missing.length === 0) list.ok('the spec’s chains', 'all nine are payable');
  else list.differs('the spec’s chains', `not payable now: ${missing.join(', ')}`);
  return null;
}

/** Tries v2, which Relay documents, and then v1, since v2 has answered 404 before. */
export async function checkCurrencies(
  api: Pick<RelayApi, 'post'>,
  list: CheckList,
): Promise<RelayAnswer | null> {
  const answer = await api.post('/currencies/v2', SEARCH, MAX_LIST_BYTES);
  if (answer.kind !== 'error') return found(list, answer, 'v2 answers');
  const older = await api.post('/currencies/v1', SEARCH, MAX_LIST_BYTES);
  return found(list, older, `v2 is refused (status ${answer.httpStatus}), v1 answers`);
}

function found(list: CheckList, answer: RelayAnswer, words: string): RelayAnswer | null {
  const count = answer.kind === 'json' ? countCurrencies(answer.value) : null;
  if (count === null) return answer;
  if (count > 0) list.ok('currencies', `${words}, ${count} found`, true);
  else list.differs('currencies', `${words}, but finds no USDC on Base`, true);
  return null;
}
