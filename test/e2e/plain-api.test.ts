import { badInput } from './plain-api/bad-input.ts';
import { idempotency } from './plain-api/idempotency.ts';
import { keyFirst } from './plain-api/key-first.ts';
import { openPlaces } from './plain-api/open-places.ts';
import { pipelining } from './plain-api/pipelining.ts';
import { signIn } from './plain-api/sign-in.ts';

// In this order: the first wants an empty database, the last lets the provider fail.
badInput();
openPlaces();
keyFirst();
signIn();
pipelining();
idempotency();
