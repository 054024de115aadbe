import { storiesPolled } from '../support/suites/sandbox-stories.ts';

storiesPolled('by two replicas, as often as usual', {}, 2);
