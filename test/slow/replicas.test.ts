import { takeOver } from '../support/suites/take-over.ts';

takeOver('at the usual time-outs', { PROVIDER_TIMEOUT_MS: '5000', WEBHOOK_TIMEOUT_MS: '15000' });
