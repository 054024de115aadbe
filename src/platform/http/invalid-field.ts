export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The request is at fault; `errors` names each field and says what is expected of it. */
export class InvalidField extends Error {
  readonly code = 'invalid_request';
  readonly errors: readonly FieldError[];

  constructor(field: string, message: string, ...more: FieldError[]) {
    super(`${field} ${message}`);
    this.errors = [{ field, message }, ...more];
  }
}
