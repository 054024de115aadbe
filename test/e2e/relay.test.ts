import { changedKey, wrongKey } from './relay/credentials.ts';
import { faults } from './relay/faults.ts';
import { paymentLives } from './relay/lives.ts';
import { refusals } from './relay/refusals.ts';

// In this order: the first wants a stage without payments, the last leave the polling slow for a while.
wrongKey();
refusals();
paymentLives();
changedKey();
faults();
