import type { Fault } from './plan.ts';

/** `kill -9 replica 2`, for people. */
export function describeFault(fault: Fault): string {
  const on = 'replica' in fault && fault.replica !== null ? ` of replica ${fault.replica}` : '';
  const seconds = `${(fault.forMs / 1_000).toFixed(1)} s`;
  if (fault.kind === 'kill') return `kill -9${on}, down ${seconds}`;
  if (fault.kind === 'death') return `a provider dies, ${seconds}`;
  if (fault.kind === 'rpc') return `rpc ${fault.rpc ?? '0 and 1'}: ${fault.how}, ${seconds}`;
  if (fault.kind === 'failover') return 'failover: the primary is killed, its standby promoted';
  if (fault.kind === 'topic') return `the broker refuses ${fault.type}, ${seconds}`;
  if (fault.kind === 'log') return `full log disk${on}, ${seconds}`;
  if (fault.kind === 'clock') return `clock${on} stepped by ${fault.byS} s, ${seconds}`;
  if ('link' in fault) return `${fault.kind} network to the ${fault.link}${on}, ${seconds}`;
  return `${fault.kind}: ${fault.how}, ${seconds}`;
}
