import { createColumnHelper, FlexRender, tableFeatures, useTable, type Row } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';

import { useMay } from '../../access/whoami.ts';
import type { Payment } from '../../api/types.ts';
import { counted } from '../../format/amount.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import table from '../../ui/table.module.css';
import { AmountCell, ChangedCell, OrderCell, RouteCell, SelectCell, StatusCell } from './payment-cells.tsx';
import { Hidden } from '../../ui/hidden.tsx';
import styles from './payments.module.css';
import { ProgressContext, useProgress } from './progress.ts';
import { useRowReturn } from './row-return.ts';
import { ToldCell } from './told-cell.tsx';

const ROW_HEIGHT = 40;
const OVERSCAN = 12;
/** The next page is read when this many rows are left below. */
const AHEAD = 30;

const features = tableFeatures({});
const column = createColumnHelper<typeof features, Payment>();
const COLUMNS = [
  column.display({
    id: 'select',
    header: () => <Hidden>Select</Hidden>,
    cell: ({ row }) => <SelectCell payment={row.original} />,
  }),
  column.display({ id: 'order', header: 'Order', cell: ({ row }) => <OrderCell payment={row.original} /> }),
  column.display({
    id: 'status',
    header: 'Status',
    cell: ({ row }) => <StatusCell payment={row.original} />,
  }),
  column.display({
    id: 'amount',
    header: 'Amount',
    cell: ({ row }) => <AmountCell payment={row.original} />,
  }),
  column.display({ id: 'route', header: 'Route', cell: ({ row }) => <RouteCell payment={row.original} /> }),
  column.display({ id: 'told', header: 'Told', cell: ({ row }) => <ToldCell payment={row.original} /> }),
  column.display({
    id: 'changed',
    header: 'Last change',
    cell: ({ row }) => <ChangedCell payment={row.original} />,
  }),
];
/** The columns for a role that may not see deliveries. */
const COLUMNS_OF_SHOP = COLUMNS.filter(({ id }) => id !== 'told' && id !== 'select');
const CLASSES: Readonly<Record<string, string | undefined>> = {
  select: styles['select'],
  order: styles['order'],
  status: styles['status'],
  amount: `${table['number']} ${styles['amount']}`,
  route: `${styles['route']} ${table['dim']}`,
  told: `${styles['told-cell']} ${table['dim']}`,
  changed: `${table['number']} ${styles['when']} ${table['dim']}`,
};

interface PaymentsTableProps {
  readonly payments: readonly Payment[];
  /** The payments after the last row. */
  readonly rest: 'older' | 'newer';
  readonly hasMore: boolean;
  readonly isReading: boolean;
  readonly readMore: () => void;
}

/** Draws only rows near the window, however many there are. */
export function PaymentsTable({ payments, rest, hasMore, isReading, readMore }: PaymentsTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, []);
  const model = useTable({
    features,
    data: payments,
    columns: useMay('inspect') ? COLUMNS : COLUMNS_OF_SHOP,
    getRowId: ({ quoteId }) => quoteId,
  });
  const { rows } = model.getRowModel();
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const onRowClick = useRowReturn({
    payments,
    hasMore,
    isReading,
    readMore,
    offsetOf: (index) => virtual.getOffsetForIndex(index, 'start')?.[0] ?? 0,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const progress = useProgress(payments, shown[0]?.index ?? 0, last);
  const onNear = useEffectEvent(readMore);
  useEffect(() => {
    if (hasMore && !isReading && last >= payments.length - AHEAD) onNear();
  }, [hasMore, isReading, last, payments.length]);

  const before = (shown[0]?.start ?? top) - top;
  const after = virtual.getTotalSize() - ((shown.at(-1)?.end ?? top) - top);
  return (
    <ProgressContext value={progress}>
      <Panel isFlush isTall>
        <table
          className={`${table['table']} ${styles['list']}`}
          aria-rowcount={hasMore ? -1 : rows.length + 1}
          onClickCapture={onRowClick}
        >
          <thead>
            {model.getHeaderGroups().map((group) => (
              <tr key={group.id} aria-rowindex={1}>
                {group.headers.map((header) => (
                  <th key={header.id} scope="col" className={CLASSES[header.id]}>
                    <FlexRender header={header} />
                  </th>
                ))}
              </tr>
            ))}
          </thead>
          <tbody ref={body}>
            <Space height={before} />
            {shown.map(({ index }) => {
              const row = rows[index];
              return row === undefined ? null : (
                <PaymentRow key={row.id} row={row} index={index} measure={virtual.measureElement} />
              );
            })}
            <Space height={after} />
          </tbody>
        </table>
      </Panel>
      <p className={styles['end']} role="status">
        {hasMore ? (
          <Button kind="quiet" size="s" isBusy={isReading} onClick={readMore}>
            {isReading ? `Reading ${rest} payments` : `Show ${rest} payments`}
          </Button>
        ) : (
          `${counted(rows.length, 'payment')}: these are all.`
        )}
      </p>
    </ProgressContext>
  );
}

interface PaymentRowProps {
  readonly row: Row<typeof features, Payment>;
  readonly index: number;
  /** On a phone, rows are as tall as their content. */
  readonly measure: (row: HTMLTableRowElement | null) => void;
}

function PaymentRow({ row, index, measure }: PaymentRowProps) {
  return (
    <tr ref={measure} data-index={index} className={table['row']} aria-rowindex={index + 2}>
      {row.getAllCells().map((cell) => (
        <td key={cell.id} className={CLASSES[cell.column.id]}>
          <FlexRender cell={cell} />
        </td>
      ))}
    </tr>
  );
}

/** Stands for the rows that are not drawn. */
function Space({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td colSpan={COLUMNS.length} className={styles['space']} style={{ height }} />
    </tr>
  );
}
