import { decimal, flag } from '../../config/kinds.ts';
import { ASKING, providerSection } from '../../config/setting.ts';

export const SANDBOX_SETTINGS = providerSection({
  heading: 'Sandbox',
  about: 'What the sandbox plays: [sandbox.md](sandbox.md).',
  rows: {
    speed: decimal('SANDBOX_SPEED', {
      default: 1,
      min: 0.1,
      max: 50,
      agreed: ASKING,
      text: "how many times as fast the sandbox's time runs, polling, late watch, stalls and proofs too",
    }),
    autopay: flag('SANDBOX_AUTOPAY', {
      default: true,
      agreed: ASKING,
      text: '`false`: a sandbox payment is paid only by its deposit call',
    }),
  },
  speedOf: ({ speed }) => speed,
});
