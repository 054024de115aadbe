import { Injectable, Logger } from '@nestjs/common';

import { disagreementsOf, disagreementWords } from '../../domain/replicas/disagreements.ts';
import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { DatabaseHealth, type Health } from '../../ports/readiness.ts';
import { Replicas } from '../../ports/replicas.ts';
import { answerInTime, type Checked } from './answer-in-time.ts';

/** The interval at which replicas write their state. */
const EVERY_MS = 10_000;
const REMEDY = 'give all replicas the same settings';

export interface ReplicasHealth extends Health {
  /** The running processes, with their roles. */
  readonly running: readonly {
    readonly id: string;
    readonly roles: readonly string[];
    readonly release: string;
  }[];
}

/** Compares the settings of running replicas, and logs differences, once for each change. */
@Injectable()
export class ReplicasWatch extends ServiceLoop {
  private readonly log = new Logger('Replicas');
  private readonly shared = new SharedWork<ReplicasHealth>();
  private logged: string | undefined;

  constructor(
    private readonly replicas: Replicas,
    database: DatabaseHealth,
  ) {
    super('the watch of the replicas', database);
  }

  /** Which replicas run; degraded while their settings differ. */
  async health(): Promise<ReplicasHealth> {
    const { answer, why } = await this.check();
    return answer ?? { status: 'degraded', detail: why, running: [] };
  }

  /** Logs nothing while the database does not answer: other parts log that. */
  protected async round(): Promise<number> {
    const { answer: health } = await this.check();
    if (health !== null && health.detail !== this.logged) {
      this.logged = health.detail;
      if (health.detail === undefined) this.log.log('the replicas agree on their settings again');
      else this.log.warn(`the replicas disagree: ${health.detail}; ${REMEDY}`);
    }
    return EVERY_MS;
  }

  private check(): Promise<Checked<ReplicasHealth>> {
    return answerInTime(this.shared.run('compare', () => this.compare()));
  }

  private async compare(): Promise<ReplicasHealth> {
    const alive = (await this.replicas.recent()).filter(({ isAlive }) => isAlive);
    const running = alive.map(({ id, roles, release }) => ({ id, roles, release }));
    const disagreements = disagreementsOf(alive);
    if (disagreements.length === 0) return { status: 'ok', running };
    return { status: 'degraded', detail: disagreements.map(disagreementWords).join('; '), running };
  }
}
