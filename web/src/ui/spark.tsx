import styles from './spark.module.css';
import { cx } from './cx.ts';

interface SparkProps {
  readonly values: readonly (number | null)[];
  /** Drawn in red on the same scale. */
  readonly other?: readonly (number | null)[];
  readonly color: 'accent' | 'ok';
}

const WIDTH = 200;
const HEIGHT = 40;

/** A small line without axes, which only shows how a figure moves; the number stands beside it. */
export function Spark({ values, other, color }: SparkProps) {
  const top = Math.max(1, ...[...values, ...(other ?? [])].map((value) => value ?? 0));
  return (
    <svg
      className={styles['spark']}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className={cx(styles[color])} d={pathOf(values, top)} />
      {other?.some((value) => (value ?? 0) > 0) === true ? (
        <path className={cx(styles['bad'])} d={pathOf(withoutRest(other), top)} />
      ) : null}
    </svg>
  );
}

/** Leaves out the zeros in between: a line along the ground carries no information. */
function withoutRest(values: readonly (number | null)[]): (number | null)[] {
  const isUp = (index: number): boolean => (values[index] ?? 0) > 0;
  return values.map((value, index) => (isUp(index - 1) || isUp(index) || isUp(index + 1) ? value : null));
}

function pathOf(values: readonly (number | null)[], top: number): string {
  const step = WIDTH / Math.max(values.length - 1, 1);
  let isDrawing = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isDrawing = false;
        return '';
      }
      const point = `${isDrawing ? 'L' : 'M'}${(index * step).toFixed(1)} ${(HEIGHT - 2 - (value / top) * (HEIGHT - 6)).toFixed(1)}`;
      const isAlone = !isDrawing && (values[index + 1] ?? null) === null;
      isDrawing = true;
      // A line without length is drawn as a dot, by its round ends.
      return isAlone ? `${point}h0.01` : point;
    })
    .join('');
}
