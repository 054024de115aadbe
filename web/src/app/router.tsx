import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';

import { mayUse } from '../access/roles.ts';
import { isSignedOut } from '../access/sign-in.ts';
import { firstWhoami, whoamiQuery } from '../access/whoami.ts';
import { readDeliveriesSearch } from '../screens/deliveries/deliveries-search.ts';
import { readLiveSearch } from '../screens/live/live-search.ts';
import { readPaymentsSearch } from '../screens/payments/payments-search.ts';
import { SignInScreen } from '../screens/sign-in/sign-in-screen.tsx';
import { NotFound } from './not-found.tsx';
import { queryClient } from './query-client.ts';
import { ScreenError } from './screen-error.tsx';
import { given, parseSearch, stringifySearch, type Search, wordIn } from '../format/search-params.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Search) => ({ error: wordIn(search, 'error'), next: wordIn(search, 'next') }),
  component: SignInScreen,
});

/** The sign-in form was refused because it came from another origin; this page is the answer. */
const refusedForm = createRoute({
  getParentRoute: () => root,
  path: '/session',
  beforeLoad: () => {
    // eslint-disable-next-line typescript/only-throw-error -- so the router takes it
    throw redirect({ to: '/sign-in', search: { error: 'origin', next: undefined }, replace: true });
  },
});

/** All screens behind the sign-in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ location }) => {
    if (queryClient.getQueryData(whoamiQuery.queryKey) !== undefined) return;
    try {
      queryClient.setQueryData(whoamiQuery.queryKey, await firstWhoami());
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      const next = location.href === '/' ? undefined : `/dashboard${location.href}`;
      // eslint-disable-next-line typescript/only-throw-error -- so the router takes it
      throw redirect({ to: '/sign-in', search: { error: undefined, next }, replace: true });
    }
  },
  component: Shell,
  errorComponent: ScreenError,
});

const attention = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    const whoami = queryClient.getQueryData(whoamiQuery.queryKey);
    if (whoami !== undefined && !mayUse(whoami.role, 'inspect'))
      // eslint-disable-next-line typescript/only-throw-error -- so the router takes it
      throw redirect({ to: '/payments', search: {}, replace: true });
  },
  component: lazyRouteComponent(() => import('../screens/attention/attention-screen.tsx'), 'AttentionScreen'),
});
const payments = createRoute({
  getParentRoute: () => shell,
  path: '/payments',
  validateSearch: readPaymentsSearch,
  component: lazyRouteComponent(() => import('../screens/payments/payments-screen.tsx'), 'PaymentsScreen'),
});
const payment = createRoute({
  getParentRoute: () => shell,
  path: '/payments/$quoteId',
  component: lazyRouteComponent(() => import('../screens/payment/payment-screen.tsx'), 'PaymentScreen'),
});
const order = createRoute({
  getParentRoute: () => shell,
  path: '/orders/$orderId',
  component: lazyRouteComponent(() => import('../screens/order/order-screen.tsx'), 'OrderScreen'),
});
const endpoints = createRoute({
  getParentRoute: () => shell,
  path: '/endpoints',
  component: lazyRouteComponent(() => import('../screens/endpoints/endpoints-screen.tsx'), 'EndpointsScreen'),
});
const endpoint = createRoute({
  getParentRoute: () => shell,
  path: '/endpoints/$endpointId',
  component: lazyRouteComponent(() => import('../screens/endpoint/endpoint-screen.tsx'), 'EndpointScreen'),
});
const deliveries = createRoute({
  getParentRoute: () => shell,
  path: '/deliveries',
  validateSearch: readDeliveriesSearch,
  component: lazyRouteComponent(
    () => import('../screens/deliveries/deliveries-screen.tsx'),
    'DeliveriesScreen',
  ),
});
const delivery = createRoute({
  getParentRoute: () => shell,
  path: '/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('../screens/delivery/delivery-screen.tsx'), 'DeliveryScreen'),
});
const provider = createRoute({
  getParentRoute: () => shell,
  path: '/provider',
  validateSearch: (search: Search) => given({ name: wordIn(search, 'name') }),
  component: lazyRouteComponent(() => import('../screens/provider/provider-screen.tsx'), 'ProviderScreen'),
});
const live = createRoute({
  getParentRoute: () => shell,
  path: '/live',
  validateSearch: readLiveSearch,
  component: lazyRouteComponent(() => import('../screens/live/live-screen.tsx'), 'LiveScreen'),
});
const sandbox = createRoute({
  getParentRoute: () => shell,
  path: '/sandbox',
  component: lazyRouteComponent(() => import('../screens/sandbox/sandbox-screen.tsx'), 'SandboxScreen'),
});
const access = createRoute({
  getParentRoute: () => shell,
  path: '/access',
  component: lazyRouteComponent(() => import('../screens/access/access-screen.tsx'), 'AccessScreen'),
});
const system = createRoute({
  getParentRoute: () => shell,
  path: '/system',
  component: lazyRouteComponent(() => import('../screens/system/system-screen.tsx'), 'SystemScreen'),
});

/** A child of the frame, so that the menu is shown. */
const notFound = createRoute({ getParentRoute: () => shell, path: '$', component: NotFound });

const screens = [
  attention,
  payments,
  payment,
  order,
  endpoints,
  endpoint,
  deliveries,
  delivery,
  provider,
  live,
  sandbox,
  access,
  system,
  notFound,
] as const;

export const router = createRouter({
  routeTree: root.addChildren([signIn, refusedForm, shell.addChildren(screens)]),
  basepath: '/dashboard',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenError,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
