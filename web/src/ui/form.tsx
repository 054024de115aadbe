import type { ComponentProps, ReactNode } from 'react';
import { FieldError, Input, Label, Text, TextField as AriaTextField } from 'react-aria-components';

import { Problem } from '../api/problem.ts';
import { cx } from './cx.ts';
import styles from './form.module.css';

interface TextFieldProps extends Omit<ComponentProps<typeof AriaTextField>, 'children' | 'className'> {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /** The API's refusal of the field. */
  readonly error?: string | undefined;
}

export function TextField({ label, hint, placeholder, error, ...rest }: TextFieldProps) {
  return (
    // `aria`: a field that the API has refused must not prevent the form from being sent again.
    <AriaTextField
      {...rest}
      validationBehavior="aria"
      isInvalid={error !== undefined}
      className={cx(styles['field'])}
    >
      <Label className={cx(styles['label'])}>{label}</Label>
      <Input className={cx(styles['input'])} placeholder={placeholder} />
      {hint === undefined ? null : (
        <Text slot="description" className={cx(styles['hint'])}>
          {hint}
        </Text>
      )}
      <FieldError className={cx(styles['error'])}>{error}</FieldError>
    </AriaTextField>
  );
}

/** The API's message about a field; undefined if there is none. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof Problem)) return undefined;
  const found = error.errors.find((one) => one.field === field);
  return found === undefined ? undefined : `${label(field)} ${found.message}`;
}

function label(field: string): string {
  return field.slice(0, 1).toUpperCase() + field.slice(1);
}

export function Checkboxes({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className={styles['group']}>
      <legend>{legend}</legend>
      <div className={styles['checks']}>{children}</div>
    </fieldset>
  );
}

export function Check({ children, ...rest }: ComponentProps<'input'>) {
  return (
    <label className={styles['check']}>
      <input {...rest} type="checkbox" />
      {children}
    </label>
  );
}
