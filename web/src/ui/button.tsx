import type { ComponentProps } from 'react';

import styles from './button.module.css';
import { cx } from './cx.ts';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'disabled'> {
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly size?: 'm' | 's';
  /** Why the button cannot be used now: it stays reachable by keyboard, and shows this reason. */
  readonly refusal?: string | null;
  readonly isBusy?: boolean;
}

export function Button({
  kind = 'plain',
  size = 'm',
  refusal = null,
  isBusy = false,
  type = 'button',
  onClick,
  title,
  children,
  ...rest
}: ButtonProps) {
  const isOff = refusal !== null || isBusy;
  return (
    <button
      {...rest}
      // eslint-disable-next-line react/button-has-type -- the default is `button`
      type={isOff && type === 'submit' ? 'button' : type}
      className={buttonClass(kind, size)}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      title={refusal ?? title}
      onClick={isOff ? undefined : onClick}
    >
      {children}
      {refusal === null ? null : <span className={styles['refusal']}>{refusal}</span>}
    </button>
  );
}

/** The look of a button, for links and for React Aria's own buttons. */
export function buttonClass(kind: NonNullable<ButtonProps['kind']> = 'plain', size: 'm' | 's' = 'm'): string {
  return cx(styles['button'], styles[kind], styles[`size-${size}`]);
}
