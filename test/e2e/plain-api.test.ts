import { keyFirst } from './plain-api/key-first.ts';
import { openPlaces } from './plain-api/open-places.ts';
import { pipelining } from './plain-api/pipelining.ts';
import { signIn } from './plain-api/sign-in.ts';

openPlaces();
keyFirst();
signIn();
pipelining();
