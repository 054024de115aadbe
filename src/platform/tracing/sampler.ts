import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';

import type { TracingSettings } from './tracing.settings.ts';

/** The sampler that OTEL_TRACES_SAMPLER names. A linked trace is of a payment that was sampled, and all of its way is. */
export function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const [name = ''] = sampler.split('parentbased_').slice(-1);
  const root = rootOf(name, ratio);
  const usual = name === sampler ? root : new ParentBasedSampler({ root });
  return {
    shouldSample: (...asked) =>
      asked[5].length > 0 && name !== 'always_off'
        ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
        : usual.shouldSample(...asked),
    toString: () => sampler,
  };
}

function rootOf(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'always_on' ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio);
}
