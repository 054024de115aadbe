import { DELETED_KIND, NOBODY, NOBODY_KIND } from '../../domain/event/told.ts';
import type { DestinationKinds } from '../../ports/destinations.ts';
import type { NamedDestination } from '../../ports/untold-payments.ts';

/** The columns of one `destination`; all null where it has no row. */
export interface DestinationRow {
  readonly kind: string | null;
  readonly url: string | null;
  readonly description: string | null;
}

/** Only the id of a removed destination is known. */
export function namedOf(id: string, row: DestinationRow, kinds: DestinationKinds): NamedDestination {
  const { kind, url, description } = row;
  if (id === NOBODY) return { id: null, kind: NOBODY_KIND, name: 'no receiver' };
  if (kind === null) return { id, kind: DELETED_KIND, name: 'a deleted webhook endpoint' };
  if (url === null) return { id: kind, kind, name: kinds.nameOf(kind) };
  return { id, kind, name: description === null || description === '' ? url : description };
}
