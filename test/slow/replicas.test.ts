import { takeOver } from '../support/suites/take-over.ts';

takeOver('at the usual time-outs', { PROVIDER_TIMEOUT_MS: '5000', WEBHOOK_TIMEOUT_MS: '15000' });
takeOver('at short time-outs', { PROVIDER_TIMEOUT_MS: '2000', WEBHOOK_TIMEOUT_MS: '1000' });
