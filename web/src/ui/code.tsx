import { CopyButton } from './copy.tsx';
import styles from './code.module.css';

/** A text in a fixed-width font, with a button to copy it; wide lines can be scrolled by keyboard too. */
export function Code({ text, what, copied = text }: { text: string; what: string; copied?: string }) {
  return (
    <div className={styles['code']}>
      <div className={styles['copy']}>
        <CopyButton text={copied} what={what} />
      </div>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} role="group" aria-label={what}>
        {text}
      </pre>
    </div>
  );
}
