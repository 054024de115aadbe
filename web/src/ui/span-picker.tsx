import { SPANS, type Span } from '../api/figures-query.ts';
import styles from './span-picker.module.css';

/** How far back the charts go. */
export function SpanPicker({ span, onChange }: { span: Span; onChange: (span: Span) => void }) {
  return (
    <div role="group" aria-label="How far back" className={styles['spans']}>
      {(Object.keys(SPANS) as Span[]).map((one) => (
        <button key={one} type="button" aria-pressed={one === span} onClick={() => onChange(one)}>
          {one}
        </button>
      ))}
    </div>
  );
}
