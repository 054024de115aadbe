import { Link, useNavigate } from '@tanstack/react-router';

import {
  matchWord,
  needWord,
  proofWord,
  providerName,
  STATUSES,
  statusWord,
  UNDER_WAY,
} from '../../format/words.ts';
import chip from '../../ui/chip.module.css';
import { cx } from '../../ui/cx.ts';
import { CloseIcon } from '../../ui/icons.tsx';
import { SortLabel } from '../../ui/sort-label.tsx';
import { FilterDialog } from './filter-dialog.tsx';
import { MARKS, type Mark, type PaymentsSearch, sameSearch } from './payments-search.ts';
import styles from './payments.module.css';
import { SavedFilters } from './saved-filters.tsx';

const ONLY = {
  undelivered: 'Not delivered',
  late: 'Late',
  stalled: 'Stalled',
  anomaly: 'Contradicted',
} as const;

const PERIOD_NAMES = { '1h': 'Last hour', '24h': 'Last 24 h', '7d': 'Last 7 days' } as const;

/** The usual filters as one click each, then the others in use, each with a way to remove it. */
export function FilterBar({ search }: { search: PaymentsSearch }) {
  return (
    <div className={chip['chips']} role="group" aria-label="Filters and order">
      <Toggle search={search} name="Under way" change={{ status: UNDER_WAY }} />
      {Object.entries(ONLY).map(([mark, name]) => (
        <Toggle key={mark} search={search} name={name} change={{ [mark]: 'true' }} />
      ))}
      <Toggle search={search} name="Failed" change={{ status: ['FAILED'] }} />
      <Toggle search={search} name={PERIOD_NAMES['24h']} change={{ last: '24h' }} />
      <span className={styles['divider']} aria-hidden="true" />
      {chosenOf(search).map(({ name, without }) => (
        <Chosen key={name} name={name} without={without} />
      ))}
      <FilterDialog search={search} />
      <SavedFilters search={search} />
      <Link
        to="/payments"
        search={{ ...search, sort: search.sort === 'oldest' ? undefined : 'oldest' }}
        className={cx(chip['chip'], chip['sort'])}
      >
        <SortLabel sort={search.sort} />
      </Link>
    </div>
  );
}

interface ToggleProps {
  readonly search: PaymentsSearch;
  readonly name: string;
  readonly change: PaymentsSearch;
}

/** A link, since the filter is in the address: the link can be opened in a new tab, and Back removes the filter. */
function Toggle({ search, name, change }: ToggleProps) {
  const isOn = sameSearch({ ...search, ...change }, search);
  const off = Object.fromEntries(Object.keys(change).map((key) => [key, undefined]));
  return (
    <Link
      to="/payments"
      search={{ ...search, ...(isOn ? off : change) }}
      className={cx(chip['chip'], isOn && chip['on'])}
      aria-current={isOn ? 'true' : undefined}
    >
      {name}
    </Link>
  );
}

function Chosen({ name, without }: { name: string; without: PaymentsSearch }) {
  const navigate = useNavigate();
  return (
    <span className={cx(chip['chip'], chip['on'])}>
      {name}
      <button
        type="button"
        className={styles['remove']}
        aria-label={`Take the filter off: ${name}`}
        onClick={() => void navigate({ to: '/payments', search: without })}
      >
        <CloseIcon />
      </button>
    </span>
  );
}

/** The filters that no toggle shows. */
function chosenOf(search: PaymentsSearch): { name: string; without: PaymentsSearch }[] {
  const {
    status = [],
    provider,
    last,
    orderId,
    attention,
    awaitingProof,
    match,
    verification,
    chain,
    token,
    createdAfter,
    createdBefore,
    search: text,
  } = search;
  const isToggled = [UNDER_WAY, ['FAILED']].some((set) => String(set) === String(status));
  const marks = MARKS.filter((mark) => isUncommon(mark, search[mark]));
  const chosen: (readonly [string | false | undefined, keyof PaymentsSearch])[] = [
    [text !== undefined && `Found: ${text}`, 'search'],
    [!isToggled && status.length > 0 && statusNames(status), 'status'],
    [provider?.map(providerName).join(', '), 'provider'],
    [last !== undefined && last !== '24h' && PERIOD_NAMES[last], 'last'],
    [orderId !== undefined && `Order ${orderId}`, 'orderId'],
    [attention !== undefined && needWord(attention), 'attention'],
    [awaitingProof?.map((id) => `Waiting for a proof on chain ${id}`).join(', '), 'awaitingProof'],
    [match !== undefined && matchWord(match).text, 'match'],
    [verification !== undefined && proofWord(verification).text, 'verification'],
    [chain !== undefined && `Chain ${chain}`, 'chain'],
    [token !== undefined && `Token ${token}`, 'token'],
    [createdAfter !== undefined && `From ${createdAfter}`, 'createdAfter'],
    [createdBefore !== undefined && `Before ${createdBefore}`, 'createdBefore'],
    ...marks.map((mark) => [`${search[mark] === 'true' ? '' : 'Not '}${mark}`, mark] as const),
  ];
  return chosen.flatMap(([name, key]) =>
    name === false || name === undefined ? [] : [{ name, without: { ...search, [key]: undefined } }],
  );
}

function isUncommon(mark: Mark, value: string | undefined): boolean {
  return value !== undefined && !(mark in ONLY && value === 'true');
}

function statusNames(status: readonly (typeof STATUSES)[number][]): string {
  return status.map((one) => statusWord(one).text).join(', ');
}
