import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { useRefusal } from '../../access/whoami.ts';
import type { AttentionItem } from '../../api/overview-types.ts';
import { destinationNames, destinationsQuery, endpointName } from '../../api/queries.ts';
import type { Destination } from '../../api/types.ts';
import { buttonClass } from '../../ui/button.tsx';
import { SkeletonWord } from '../../ui/skeleton.tsx';
import { DialogButton } from '../endpoint/dialog-button.tsx';
import type { EndpointDialogName } from '../endpoint/endpoint-dialog.tsx';
import { endpointQuery } from '../endpoint/endpoint-queries.ts';
import { labelOf, screenOf, type ScreenLink } from './attention-links.ts';
import styles from './attention.module.css';

type Repair = Extract<EndpointDialogName, 'enable' | 'recover' | 'test'>;

/** A card may be about several endpoints: its button names the one that it repairs. */
const LABELS: Readonly<Record<Repair, (endpoint: string) => string>> = {
  enable: (endpoint) => `Enable ${endpoint}…`,
  recover: (endpoint) => `Send again to ${endpoint}…`,
  test: (endpoint) => `Send a test to ${endpoint}`,
};

/** The one thing to do about an item: a dialog for an endpoint, else the screen with the details. */
export function ItemAction({ item }: { item: AttentionItem }) {
  const { data: destinations = [], isPending } = useQuery(destinationsQuery());
  // Another button in this place could be pressed by mistake.
  if (isPending) return <SkeletonWord />;
  const repair = repairOf(item, destinations);
  if (repair !== null) return <RepairButton {...repair} since={item.since} />;
  const link = linkOf(item);
  const { to, params, search } = link;
  return (
    <Link to={to} params={params as never} search={search as never} className={buttonClass('plain', 's')}>
      <span className={styles['label']}>
        {item.code === 'no_receiver' ? 'Add an endpoint' : labelOf(link, destinationNames(destinations))}
      </span>
    </Link>
  );
}

interface RepairProps {
  readonly name: Repair;
  readonly endpointId: string;
}

function RepairButton({ name, endpointId, since }: RepairProps & { readonly since: string | null }) {
  const { data: endpoint, isPending } = useQuery(endpointQuery(endpointId));
  const refusal = useRefusal(name === 'enable' ? 'manage' : 'repair');
  if (endpoint === undefined) return isPending ? <SkeletonWord /> : null;
  return (
    <DialogButton name={name} size="s" kind="primary" endpoint={endpoint} refusal={refusal} since={since}>
      <span className={styles['label']}>{LABELS[name](endpointName(endpoint))}</span>
    </DialogButton>
  );
}

function repairOf(item: AttentionItem, all: readonly Destination[]): RepairProps | null {
  const { code, endpoints, destinations = [] } = item;
  const [first] = endpoints;
  if (code === 'endpoints_disabled') return first ? { name: 'enable', endpointId: first.id } : null;
  if (code === 'endpoints_failing') return first ? { name: 'test', endpointId: first.id } : null;
  if (code === 'endpoints_refusing') return first ? { name: 'recover', endpointId: first.id } : null;
  if (code === 'no_receiver') {
    const receiver = all.find(({ kind, state }) => kind === 'webhook' && state !== 'disabled');
    return receiver ? { name: 'recover', endpointId: receiver.id } : null;
  }
  if (code !== 'undelivered') return null;
  const untold = destinations.flatMap(({ destination }) => all.find(({ id }) => id === destination.id) ?? []);
  const endpoint = untold.find(({ kind }) => kind === 'webhook');
  return endpoint ? { name: repairFor(endpoint), endpointId: endpoint.id } : null;
}

function repairFor({ state }: Destination): Repair {
  if (state === 'disabled') return 'enable';
  return state === 'open' || state === 'failing' ? 'test' : 'recover';
}

function linkOf({ code, href, count, isMore, examples }: AttentionItem): ScreenLink {
  if (code === 'no_receiver') return { to: '/endpoints', search: {} };
  const [only] = examples;
  return only !== undefined && count === 1 && !isMore ? screenFor(code, only) : screenOf(href);
}

/** For an order that was paid twice, a person must compare both payments. */
function screenFor(code: string, { quoteId, orderId }: AttentionItem['examples'][number]): ScreenLink {
  return code === 'order_paid_twice' && orderId !== null
    ? { to: '/orders/$orderId', params: { orderId }, search: {} }
    : { to: '/payments/$quoteId', params: { quoteId }, search: {} };
}
