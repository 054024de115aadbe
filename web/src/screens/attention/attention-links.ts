import { EXCHANGE } from '../../api/types.ts';
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
  if (path.startsWith('/api/provider')) return { to: '/provider', search };
  if (path === '/api/unanswered-quotes') return { to: '/provider', search: {} };
  return { to: '/system', search: {} };
}

const LABELS: Readonly<Record<ScreenLink['to'], string>> = {
  '/payments': 'Show them',
  '/payments/$quoteId': 'Open the payment',
  '/orders/$orderId': 'Open the order',
  '/endpoints': 'Go to Endpoints',
  '/endpoints/$endpointId': 'Go to the endpoint',
  '/deliveries': 'Show them',
  '/provider': 'Go to Provider',
  '/system': 'Go to System',
};

/** The words on a card's button, with the name of the one destination that it leads to. */
export function labelOf({ to, params }: ScreenLink, names: ReadonlyMap<string, string>): string {
  if (params === undefined || !('endpointId' in params)) return LABELS[to];
  if (params.endpointId === EXCHANGE) return 'Go to RabbitMQ';
  const name = names.get(params.endpointId);
  return name === undefined ? LABELS[to] : `Go to ${name}`;
}
