import { InitialSchema1790000000000 } from './1-initial.ts';
import { DatabaseHistory1790100000000 } from './2-database-history.ts';
import { Clocks1790300000000 } from './4-clocks.ts';
import { Years1790400000000 } from './5-years.ts';
import { DueBatches1790520000000 } from './6-due-batches.ts';
import { Space1790600000000 } from './7-space.ts';
import { Access1790700000000 } from './8-access.ts';
import { Sessions1790710000000 } from './9-sessions.ts';
import { Resolutions1790720000000 } from './10-resolutions.ts';
import { Figures1790730000000 } from './11-figures.ts';
import { NewPayments1790740000000 } from './12-new-payments.ts';
import { ReplicaSettings1790750000000 } from './13-replica-settings.ts';
import { Traces1790760000000 } from './14-traces.ts';
import { Lanes1790770000000 } from './15-lanes.ts';
import { OperationalEvents1790780000000 } from './16-operational-events.ts';

/**
 * Every migration in the order of its making: a class that is not listed here is never run. A migration changes tables,
 * indexes and types only; functions are in database/functions as their current text. A released migration is never changed,
 * and the tables that it leaves must still serve replicas of the former release.
 */
export const MIGRATIONS = [
  InitialSchema1790000000000,
  DatabaseHistory1790100000000,
  Clocks1790300000000,
  Years1790400000000,
  DueBatches1790520000000,
  Space1790600000000,
  Access1790700000000,
  Sessions1790710000000,
  Resolutions1790720000000,
  Figures1790730000000,
  NewPayments1790740000000,
  ReplicaSettings1790750000000,
  Traces1790760000000,
  Lanes1790770000000,
  OperationalEvents1790780000000,
];
