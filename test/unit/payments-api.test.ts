import { csvSuite } from './payments-api/csv.ts';
import { depositsSuite } from './payments-api/deposits.ts';
import { handOverSuite } from './payments-api/hand-over.ts';
import { ordersSuite } from './payments-api/orders.ts';
import { paymentsSuite } from './payments-api/payments.ts';
import { resolutionsSuite } from './payments-api/resolutions.ts';

// In one file, which loads Nest and its OpenAPI library once.
paymentsSuite();
csvSuite();
resolutionsSuite();
depositsSuite();
handOverSuite();
ordersSuite();
