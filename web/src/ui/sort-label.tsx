import { Hidden } from './hidden.tsx';
import { SortIcon } from './icons.tsx';

export type Sort = 'oldest' | undefined;

/** The label of a link that reverses a list by time. */
export function SortLabel({ sort }: { sort: Sort }) {
  const isOldest = sort === 'oldest';
  return (
    <>
      <SortIcon isUp={isOldest} />
      {isOldest ? 'Oldest first' : 'Newest first'}
      <Hidden>, by creation: show the {isOldest ? 'newest' : 'oldest'} first</Hidden>
    </>
  );
}
