import { Controller, Delete, Get, HttpCode, Param, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { isUUID } from 'class-validator';

import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { KnownKeys } from '../../ports/api-keys.ts';
import { Clock } from '../../ports/clock.ts';
import { endOf, type Session, Sessions } from '../../ports/sessions.ts';
import { EndedSessions, SessionList, SessionView } from './sessions.dto.ts';

const MAX_LISTED = 1_000;

/** No session has this id. */
export class UnknownSession extends Error {
  readonly code = 'unknown_session';
  constructor() {
    super('There is no session with this id.');
  }
}

/** The sessions of the dashboard. */
@ApiTags('Access')
@Controller('api/sessions')
@Allow(ACCESS.manage)
export class SessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly keys: KnownKeys,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'listSessions', summary: 'The browsers that are signed in' })
  async list(@Req() request: KeyedRequest): Promise<SessionList> {
    const sessions = await this.sessions.list(this.clock.now(), MAX_LISTED);
    return { data: await Promise.all(sessions.map((session) => this.viewOf(session, request))) };
  }

  @Delete(':id')
  @HttpCode(204)
  @Audited('session.end')
  @ApiOperation({ operationId: 'endSession', summary: 'End one session' })
  async end(@Param('id') id: string): Promise<void> {
    const isGone = isUUID(id) && (await this.sessions.remove(id));
    if (!isGone) throw new UnknownSession();
  }

  @Delete()
  @Audited('session.end_all')
  @ApiOperation({
    operationId: 'endAllSessions',
    summary: 'End all sessions, that of this request included: everyone has to sign in again',
  })
  async endAll(): Promise<EndedSessions> {
    return { count: await this.sessions.removeAll() };
  }

  private async viewOf(session: Session, request: KeyedRequest): Promise<SessionView> {
    const { id, keyHash, keyName, createdAt, lastUsedAt, expiresAt, address, userAgent } = session;
    const key = await this.keys.keyOfHash(keyHash);
    return {
      id,
      keyName,
      role: key?.role ?? null,
      current: request.session?.id === id,
      createdAt,
      lastUsedAt,
      idleUntil: endOf(session),
      expiresAt,
      address,
      userAgent,
    };
  }
}
