export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The request is not valid; `errors` names each field at fault and what it must be. */
export class InvalidField extends Error {
  readonly code = 'invalid_request';
  readonly errors: readonly FieldError[];

  constructor(field: string, message: string, ...more: FieldError[]) {
    super(`${field} ${message}`);
    this.errors = [{ field, message }, ...more];
  }
}
