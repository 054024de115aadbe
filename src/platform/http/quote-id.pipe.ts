import { Injectable, type PipeTransform } from '@nestjs/common';

import { isQuoteId } from '../../domain/payment/reading.ts';
import { InvalidField } from './invalid-field.ts';
import { A_QUOTE_ID } from './must-be.ts';

/** Refuses a path parameter that cannot be a quote id. */
@Injectable()
export class QuoteIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!isQuoteId(id)) throw new InvalidField('quoteId', `must be ${A_QUOTE_ID}`);
    return id;
  }
}
