import { useMutation } from '@tanstack/react-query';

import { request } from '../../api/request.ts';
import { saveFile } from '../../ui/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { csvUrl } from './payments-query.ts';
import type { PaymentsSearch } from './payments-search.ts';

/** Saves the filtered list with all of its pages as CSV. */
export function CsvButton({ search }: { search: PaymentsSearch }) {
  const csv = useMutation({
    mutationFn: async () => {
      const answer = await request(csvUrl(search), { accept: 'text/csv' });
      saveFile(await answer.blob(), `payments-${new Date().toISOString().slice(0, 10)}.csv`);
    },
  });
  return (
    <>
      {csv.isError ? <span role="alert">The CSV could not be read. Try again.</span> : null}
      <Button isBusy={csv.isPending} onClick={() => csv.mutate()}>
        {csv.isPending ? 'Reading CSV' : 'CSV'}
      </Button>
    </>
  );
}
