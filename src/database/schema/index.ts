import { InitialSchema1790000000000 } from './1-initial.ts';

/** Every migration in the order of its making: a class that is not listed here is never run. */
export const MIGRATIONS = [InitialSchema1790000000000];
