import { killsUnderLoad } from '../support/suites/kills-under-load.ts';

killsUnderLoad(8);
