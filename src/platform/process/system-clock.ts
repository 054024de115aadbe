import { Injectable } from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';

/** The machine's own time. */
@Injectable()
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
