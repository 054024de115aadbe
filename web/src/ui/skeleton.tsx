import { cx } from './cx.ts';
import { Hidden } from './hidden.tsx';
import styles from './skeleton.module.css';

/** One grey word, in a cell of a table. */
export function SkeletonWord() {
  return (
    <span className={styles['word']}>
      <Hidden>Loading</Hidden>
    </span>
  );
}

/** Grey lines in place of text, so that nothing jumps when the text comes. */
export function Skeleton({ lines = 3, isTall = false }: { lines?: number; isTall?: boolean }) {
  return (
    <div className={cx(styles['skeleton'], isTall && styles['tall'])} role="status">
      <Hidden>Loading</Hidden>
      {Array.from({ length: lines }, (_none, index) => (
        // eslint-disable-next-line react/no-array-index-key -- the lines are all alike
        <span key={index} className={cx(styles['line'], styles[`width-${index % 4}`])} />
      ))}
    </div>
  );
}

/** Grey lines inside a panel or a paragraph, which already has the padding. */
export function SkeletonText({ lines }: { lines: number }) {
  return (
    <div className={styles['text']}>
      <Skeleton lines={lines} />
    </div>
  );
}
