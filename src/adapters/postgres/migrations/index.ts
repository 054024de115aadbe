import { First1779000000001 } from './1-first.ts';

/** Every migration in the order of its making: a class that is not listed here is never run. */
export const MIGRATIONS = [First1779000000001];
