import { choosingSuite } from './quotes-api/choosing.ts';
import { decimalsSuite } from './quotes-api/decimals.ts';
import { idempotencySuite } from './quotes-api/idempotency.ts';
import { lookupsSuite } from './quotes-api/lookups.ts';
import { quoteSuite } from './quotes-api/quote.ts';
import { severalProvidersSuite } from './quotes-api/several-providers.ts';
import { statusSuite } from './quotes-api/status.ts';

// In one file, which loads Nest and its OpenAPI library once.
quoteSuite();
lookupsSuite();
severalProvidersSuite();
choosingSuite();
decimalsSuite();
statusSuite();
idempotencySuite();
