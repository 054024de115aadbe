import { Link } from '@tanstack/react-router';

import { Empty } from '../ui/notes.tsx';

export function NotFound() {
  return (
    <Empty title="There is no such page">
      The address may have a slip in it. <Link to="/">Go to the start</Link>.
    </Empty>
  );
}
