import { parseSearch, type Search } from '../../format/search-params.ts';

/** The screen that shows a list of the API. */
export interface ScreenLink {
  readonly to:
    | '/payments'
    | '/payments/$quoteId'
    | '/orders/$orderId'
    | '/endpoints'
    | '/endpoints/$endpointId'
    | '/deliveries'
    | '/provider'
    | '/system';
  readonly params?:
    | { readonly endpointId: string }
    | { readonly quoteId: string }
    | { readonly orderId: string };
  readonly search: Search;
}

/** The filters of the screens have the API's names. */
export function screenOf(href: string): ScreenLink {
  const [path = '', query = ''] = href.split('?');
  const search = parseSearch(query);
  if (path.startsWith('/api/payments')) return { to: '/payments', search };
  if (path.startsWith('/api/webhook-deliveries')) return { to: '/deliveries', search };
  if (path.startsWith('/api/webhook-endpoints')) return { to: '/endpoints', search: {} };
  const [, endpointId] = /^\/api\/destinations(?:\/(.+))?$/.exec(path) ?? [];
  if (endpointId !== undefined) return { to: '/endpoints/$endpointId', params: { endpointId }, search: {} };
  if (path === '/api/destinations') return { to: '/endpoints', search: {} };
  if (path.startsWith('/api/provider') || path === '/api/unanswered-quotes')
    return { to: '/provider', search: {} };
  return { to: '/system', search: {} };
}
