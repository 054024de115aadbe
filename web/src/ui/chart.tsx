import { localTime } from '../format/time.ts';
import styles from './chart.module.css';
import { Hidden } from './hidden.tsx';
import { Plot, type PlotProps } from './plot.tsx';

interface ChartProps extends PlotProps {
  readonly title: string;
}

/** The most rows of the table for screen readers. */
const TABLE_ROWS = 24;

/** Lines over time, and the same figures as a table for screen readers. */
export function Chart(props: ChartProps) {
  const { title, times, series, format } = props;
  const isEmpty = series.every(({ values }) => values.every((value) => value === null));
  return (
    <figure className={styles['chart']}>
      <figcaption className={styles['title']}>
        {title}
        <span className={styles['legend']} aria-hidden="true">
          {series.map(({ name, color }) => (
            <span key={name} className={styles[color]}>
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      {isEmpty ? (
        <p className={styles['empty']}>Nothing to show of this time.</p>
      ) : (
        <Plot times={times} series={series} format={format} />
      )}
      <Hidden>
        <ChartTable {...props} />
      </Hidden>
    </figure>
  );
}

function ChartTable({ title, times, series, format }: ChartProps) {
  const every = Math.ceil(times.length / TABLE_ROWS);
  return (
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, index) =>
          index % every === 0 ? (
            <tr key={time}>
              <th scope="row">{localTime(time)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{shown(values[index] ?? null, format)}</td>
              ))}
            </tr>
          ) : null,
        )}
      </tbody>
    </table>
  );
}

function shown(value: number | null, format: (value: number) => string): string {
  return value === null ? 'none' : format(value);
}
