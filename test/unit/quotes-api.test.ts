import { choosingSuite } from './quotes-api/choosing.ts';
import { decimalsSuite } from './quotes-api/decimals.ts';
import { idempotencySuite } from './quotes-api/idempotency.ts';
import { lookupsSuite } from './quotes-api/lookups.ts';
import { quoteSuite } from './quotes-api/quote.ts';
import { severalProvidersSuite } from './quotes-api/several-providers.ts';
import { statusSuite } from './quotes-api/status.ts';

// One file for all of these suites, so that Nest and its OpenAPI library are loaded once.
quoteSuite();
lookupsSuite();
severalProvidersSuite();
choosingSuite();
decimalsSuite();
statusSuite();
idempotencySuite();
