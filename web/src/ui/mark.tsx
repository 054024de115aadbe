import styles from './mark.module.css';

/** The name, and a bell. */
export function Mark() {
  return (
    <span className={styles['mark']}>
      <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="var(--accent)" />
        <path d="M9 22v-9a7 7 0 0 1 14 0v9l2 2H7z" fill="var(--accent-ink)" />
        <circle cx="16" cy="26.4" r="2" fill="var(--accent-ink)" />
      </svg>
      Paybell
    </span>
  );
}
