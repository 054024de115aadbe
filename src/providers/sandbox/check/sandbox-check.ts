import { CheckList, type ProviderCheck } from '../../shared/check-list.ts';

const DETAIL = 'simulated inside Paybell: it sends no requests, and no real money moves';

/** The sandbox runs inside Paybell: there is nothing to ask. */
export function sandboxCheck(): ProviderCheck {
  return { reach: simulated, conform: simulated };
}

async function simulated(): Promise<CheckList> {
  const list = new CheckList();
  list.ok('sandbox', DETAIL, true);
  return list;
}
