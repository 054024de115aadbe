import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';

import { useWhoami } from '../../access/whoami.ts';
import {
  MATCHES,
  matchWord,
  PROOF_STATES,
  proofWord,
  providerName,
  STATUSES,
  statusWord,
} from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Check, Checkboxes, TextField } from '../../ui/form.tsx';
import form from '../../ui/form.module.css';
import { MARKS, readPaymentsSearch, type PaymentsSearch } from './payments-search.ts';
import { textIn } from '../../ui/form-text.ts';

const MARK_NAMES = {
  undelivered: 'Not delivered to the shop',
  late: 'Went on after expiry or failure',
  stalled: 'Stalled',
  anomaly: 'Contradicted by the provider',
  paidTwice: 'Of an order paid twice',
  resolved: 'Resolved by a person',
} as const;

/** All filters at once. */
export function FilterForm({ search, onClose }: { search: PaymentsSearch; onClose: () => void }) {
  const navigate = useNavigate();

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const word = (name: string): string => textIn(data, name);
    const chosen = readPaymentsSearch({
      search: search.search ?? '',
      attention: search.attention ?? '',
      status: data.getAll('status').map(String),
      provider: data.getAll('provider').map(String),
      ...Object.fromEntries(MARKS.map((mark) => [mark, word(mark)])),
      orderId: word('orderId'),
      match: word('match'),
      verification: word('verification'),
      chain: word('chain'),
      token: word('token'),
      createdAfter: instantOf(word('createdAfter')),
      createdBefore: instantOf(word('createdBefore')),
      sort: search.sort ?? '',
    });
    void navigate({ to: '/payments', search: chosen });
    onClose();
  }

  return (
    <Dialog title="Filter payments" onClose={onClose} isWide>
      <form onSubmit={submit} className={form['form']}>
        <Checkboxes legend="Status">
          {STATUSES.map((status) => (
            <Check
              key={status}
              name="status"
              value={status}
              defaultChecked={search.status?.includes(status) ?? false}
            >
              {statusWord(status).text}
            </Check>
          ))}
        </Checkboxes>
        <Providers chosen={search.provider ?? []} />
        <Checkboxes legend="Only those">
          {MARKS.map((mark) => (
            <Check key={mark} name={mark} value="true" defaultChecked={search[mark] === 'true'}>
              {MARK_NAMES[mark]}
            </Check>
          ))}
        </Checkboxes>
        <Judgements search={search} />
        <div className={form['pair']}>
          <TextField name="orderId" label="Order" defaultValue={search.orderId ?? ''} />
          <TextField
            name="chain"
            label="Chain"
            hint="Its id or name, at either end"
            defaultValue={search.chain ?? ''}
          />
          <TextField
            name="token"
            label="Token"
            hint="Its symbol or address"
            defaultValue={search.token ?? ''}
          />
        </div>
        <div className={form['pair']}>
          <Instant name="createdAfter" label="Created from" value={search.createdAfter} />
          <Instant name="createdBefore" label="Created before" value={search.createdBefore} />
        </div>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary">
            Show
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Judgements({ search: { match, verification } }: { search: PaymentsSearch }) {
  return (
    <div className={form['pair']}>
      <Choice name="match" label="Sum" words={MATCHES} wordOf={matchWord} chosen={match} />
      <Choice
        name="verification"
        label="Proof"
        words={PROOF_STATES}
        wordOf={proofWord}
        chosen={verification}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly words: readonly string[];
  readonly wordOf: (word: string) => { readonly text: string };
  readonly chosen: string | undefined;
}

/** One of these words, or any. */
function Choice({ name, label, words, wordOf, chosen }: ChoiceProps) {
  return (
    <div className={form['field']}>
      <label htmlFor={name} className={form['label']}>
        {label}
      </label>
      <select id={name} name={name} className={form['input']} defaultValue={chosen ?? ''}>
        <option value="">Any</option>
        {words.map((word) => (
          <option key={word} value={word}>
            {wordOf(word).text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Shows nothing if there is only one provider. A provider that is no longer configured is there while its payments are listed. */
function Providers({ chosen }: { chosen: readonly string[] }) {
  const { providers } = useWhoami();
  const names = [...new Set([...providers, ...chosen])];
  if (names.length < 2) return null;
  return (
    <Checkboxes legend="Provider">
      {names.map((name) => (
        <Check key={name} name="provider" value={name} defaultChecked={chosen.includes(name)}>
          {providerName(name)}
        </Check>
      ))}
    </Checkboxes>
  );
}

function Instant({ name, label, value }: { name: string; label: string; value: string | undefined }) {
  return (
    <div className={form['field']}>
      <label htmlFor={name} className={form['label']}>
        {label}
      </label>
      <input
        id={name}
        name={name}
        type="datetime-local"
        className={form['input']}
        defaultValue={value === undefined ? '' : localInput(value)}
      />
    </div>
  );
}

/** The field has local time; the address and the API use UTC. */
function instantOf(text: string): string {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

function localInput(instant: string): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
