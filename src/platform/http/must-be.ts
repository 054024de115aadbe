import { ValidateBy } from 'class-validator';

import { isOrderId, metadataFault } from '../../domain/payment/order-fields.ts';
import { isQuoteId } from '../../domain/payment/reading.ts';

/** Describes a quote id, for validation messages. */
export const A_QUOTE_ID =
  'the id of a quote: 1 to 128 letters, digits and . _ : ~ -, beginning with a letter or digit';

/** Validates a field; the message is `must be …`. */
export function MustBe(what: string, isRight: (value: unknown) => boolean): PropertyDecorator {
  const message = `must be ${what}`;
  return ValidateBy({ name: 'mustBe', validator: { validate: isRight, defaultMessage: () => message } });
}

export function MustBeQuoteId(): PropertyDecorator {
  return MustBe(A_QUOTE_ID, isQuoteId);
}

export const AN_ORDER_ID =
  'a string of 1 to 200 characters, not of white space alone, without control, separating or direction characters';

export function MustBeOrderId(): PropertyDecorator {
  return MustBe(AN_ORDER_ID, isOrderId);
}

/** The name of the metadata constraint: `readFields` names the faulty entry in its error. */
export const METADATA_RULE = 'metadata';

export function MustBeMetadata(): PropertyDecorator {
  return ValidateBy({ name: METADATA_RULE, validator: { validate: isMetadata } });
}

function isMetadata(value: unknown): boolean {
  return metadataFault(value) === null;
}
