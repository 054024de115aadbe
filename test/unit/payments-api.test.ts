import { csvSuite } from './payments-api/csv.ts';
import { depositsSuite } from './payments-api/deposits.ts';
import { handOverSuite } from './payments-api/hand-over.ts';
import { ordersSuite } from './payments-api/orders.ts';
import { paymentsSuite } from './payments-api/payments.ts';
import { resolutionsSuite } from './payments-api/resolutions.ts';

// One file for all of these suites, so that Nest and its OpenAPI library are loaded once.
paymentsSuite();
csvSuite();
resolutionsSuite();
depositsSuite();
handOverSuite();
ordersSuite();
