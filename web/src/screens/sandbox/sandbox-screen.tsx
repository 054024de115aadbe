import { useMutation, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { useRefusal } from '../../access/whoami.ts';
import { call } from '../../api/client.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import table from '../../ui/table.module.css';
import { StatusTag, Tag } from '../../ui/tag.tsx';
import { Ago } from '../../ui/time.tsx';
import { paymentQuery } from '../payment/payment-queries.ts';
import styles from './sandbox.module.css';
import { SANDBOX_ROUTE, SHELVES, type Story } from './stories.ts';

interface Made {
  readonly quoteId: string;
  readonly story: Story;
}

/** Rehearses every outcome before real money moves. */
export function SandboxScreen() {
  const [made, setMade] = useState<readonly Made[]>([]);
  const refusal = useRefusal('submit');
  const make = useMutation({
    mutationFn: async (story: Story) => {
      const orderId = `sandbox-${story.ending}-${Date.now().toString(36)}`;
      const body = { ...SANDBOX_ROUTE, amount: `25.${story.ending}`, orderId };
      const { quoteId } = await call('post', '/api/quote', { body });
      return { quoteId, story };
    },
    onSuccess: (one) => setMade((former) => [one, ...former]),
  });
  return (
    <Page title="Sandbox" beside="no real money moves; SANDBOX_SPEED sets how fast the stories go">
      {make.isError ? <ProblemNote error={make.error} /> : null}
      {SHELVES.map(({ title, stories }) => (
        <section key={title} className={styles['shelf']}>
          <h2>{title}</h2>
          <ul className={styles['stories']}>
            {stories.map((story) => (
              <li key={story.ending} className={styles['story']}>
                <h3>{story.name}</h3>
                <p>{story.text}</p>
                <Button
                  size="s"
                  refusal={refusal}
                  isBusy={make.isPending && make.variables.ending === story.ending}
                  onClick={() => make.mutate(story)}
                >
                  Make a payment of 25.{story.ending} USDC
                </Button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <Panel title="Made here" isFlush>
        {made.length === 0 ? (
          <Empty title="None yet">
            Choose a story above, and watch what Paybell sees of it and tells the shop.
          </Empty>
        ) : (
          <MadePayments made={made} refusal={refusal} />
        )}
      </Panel>
    </Page>
  );
}

function MadePayments({ made, refusal }: { made: readonly Made[]; refusal: string | null }) {
  const payments = useQueries({
    queries: made.map(({ quoteId }) => ({ ...paymentQuery(quoteId), refetchInterval: 1_500 })),
  });
  const pay = useMutation({
    mutationFn: (quoteId: string) =>
      request(`/sandbox/payments/${encodeURIComponent(quoteId)}/deposit`, { method: 'POST' }),
  });
  return (
    <>
      {pay.isError ? <ProblemNote error={pay.error} /> : null}
      <table className={table['table']}>
        <thead>
          <tr>
            <th scope="col">Story</th>
            <th scope="col">Status</th>
            <th scope="col" className={table['optional']}>
              Changed
            </th>
            <th scope="col" className={table['number']}>
              Deposit
            </th>
          </tr>
        </thead>
        <tbody>
          {made.map(({ quoteId, story }, index) => {
            const payment = payments[index]?.data;
            return (
              <tr key={quoteId}>
                <td>
                  <Link to="/payments/$quoteId" params={{ quoteId }} className={styles['name']}>
                    {story.name}
                  </Link>
                </td>
                <td>
                  {payment === undefined ? null : <StatusTag status={payment.status} />}{' '}
                  {payment?.late === true ? <Tag tone="warn">late</Tag> : null}
                </td>
                <td className={`${table['optional']} ${table['dim']}`}>
                  <Ago at={payment?.updatedAt} none="–" />
                </td>
                <td className={table['number']}>
                  <Button
                    size="s"
                    aria-label={`Pay now: ${story.name}`}
                    refusal={payment?.status === 'AWAITING_DEPOSIT' ? refusal : 'It is paid or over.'}
                    isBusy={pay.isPending && pay.variables === quoteId}
                    onClick={() => pay.mutate(quoteId)}
                  >
                    Pay now
                  </Button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}
