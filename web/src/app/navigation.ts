import type { Right } from '../access/roles.ts';
import type { Whoami } from '../api/types.ts';
import { mayUse } from '../access/roles.ts';

export interface Place {
  readonly to:
    | '/'
    | '/payments'
    | '/endpoints'
    | '/deliveries'
    | '/provider'
    | '/live'
    | '/sandbox'
    | '/access'
    | '/system';
  readonly name: string;
  readonly right?: Right;
  readonly onlySandbox?: boolean;
}

const PLACES: readonly Place[] = [
  { to: '/', name: 'Attention', right: 'inspect' },
  { to: '/payments', name: 'Payments' },
  { to: '/endpoints', name: 'Endpoints', right: 'inspect' },
  { to: '/deliveries', name: 'Deliveries', right: 'inspect' },
  { to: '/provider', name: 'Provider', right: 'inspect' },
  { to: '/live', name: 'Live' },
  { to: '/sandbox', name: 'Sandbox', onlySandbox: true },
  { to: '/access', name: 'Access', right: 'manage' },
  { to: '/system', name: 'System' },
];

/** The screens that this person can use at this Paybell. */
export function placesFor({ role, sandbox }: Pick<Whoami, 'role' | 'sandbox'>): readonly Place[] {
  return PLACES.filter(
    ({ right, onlySandbox }) =>
      (right === undefined || mayUse(role, right)) && (onlySandbox !== true || sandbox),
  );
}
