import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { OpenBy } from '../../platform/http/open-route.ts';
import { OpenAttention } from '../../ports/attention.ts';
import { Metrics } from '../../ports/metrics.ts';
import { answerInTime } from './answer-in-time.ts';
import { OperatingFigures } from './operating-figures.ts';

/** Metrics for Prometheus. Answers even while the database is down, since a failed scrape would hide the reason. */
@OpenBy('metrics')
@Allow(ACCESS.read)
@ApiTags('Operations')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly figures: OperatingFigures,
    private readonly attention: OpenAttention,
    private readonly metrics: Metrics,
  ) {}

  @Get()
  @ApiOkResponse({
    description: 'All metrics, in Prometheus’ text format 0.0.4',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  @ApiOperation({
    operationId: 'getMetrics',
    summary: "Metrics in Prometheus' text format; docs/running/metrics.md explains each",
  })
  async read(@Res({ passthrough: true }) response: Response): Promise<string> {
    const [figures, attention] = await Promise.all([
      this.figures.read(),
      answerInTime(this.attention.counts()),
    ]);
    const { contentType, text } = await this.metrics.render(figures, attention.answer ?? []);
    response.set('content-type', contentType);
    return text;
  }
}
