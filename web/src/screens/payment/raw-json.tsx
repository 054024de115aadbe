import { useQuery } from '@tanstack/react-query';

import { request } from '../../api/request.ts';
import { indented } from '../../format/json.ts';
import { Code } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemNote } from '../../ui/notes.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** The payment as the API returns it, indented but otherwise unchanged. */
export function RawJson({ quoteId, onClose }: { quoteId: string; onClose: () => void }) {
  const raw = useQuery({
    queryKey: ['payment', quoteId, 'raw'],
    queryFn: async ({ signal }) => {
      const answer = await request(`/api/payments/${encodeURIComponent(quoteId)}`, { signal });
      return indented(await answer.text());
    },
  });
  return (
    <Dialog title="The payment, as the API answers it" onClose={onClose} isWide>
      {raw.isPending ? <Skeleton lines={8} /> : null}
      {raw.isError ? <ProblemNote error={raw.error} onRetry={() => void raw.refetch()} /> : null}
      {raw.data === undefined ? null : <Code text={raw.data} what="JSON of the payment" />}
    </Dialog>
  );
}
