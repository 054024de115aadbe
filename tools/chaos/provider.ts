import { randomUUID } from 'node:crypto';

import { Random } from '../simulation/random.ts';
import { HttpReceiver, type ReceivedRequest, type ScriptedAnswer } from '../testkit/http-receiver.ts';
import { CHAINS, quoteObject, statusObject } from '../testkit/provider-objects.ts';
import type { Sickness } from './plan.ts';
import type { ProofStage } from './proof/proof-stage.ts';
import { makeStory, type Step, type Story } from './stories.ts';

type Json = Record<string, unknown>;

const STATUS_PATH = /^\/api\/status\/([^/?]+)$/;
const JSON_TYPE = { 'content-type': 'application/json' };
const SLOW_MS = [200, 1_500] as const;
/** The answers that replace a flaky payment's status. */
const FLAWS: readonly ScriptedAnswer[] = [
  { status: 500, body: '{"success":false,"error":"Internal error"}' },
  { status: 404, body: '{"success":false,"error":"Quote not found"}' },
  { status: 200, body: '<html>' },
  { status: 200, body: '{"success":true,"quoteId":"of-another-payment","status":"COMPLETED"}' },
];

/** The provider's different answers about a payment, in order. */
export interface Answered {
  readonly at: number;
  readonly step: number;
  readonly status: string;
  /** The bytes of the answer, by which the verdict finds the answer in an event. */
  readonly text: string;
}

/** A payment on the way through its story. */
export abstract class Playable {
  step = 0;
  private since = Date.now();

  constructor(
    readonly quoteId: string,
    readonly story: Story,
  ) {}

  /** Null: the provider has its own API, and the reports that Paybell makes are not compared. */
  abstract readonly answers: readonly Answered[] | null;

  get isOver(): boolean {
    return this.step === this.story.steps.length - 1;
  }

  /** Goes on when the time of this step is over; a patient payment only when an event of the step is `known`. */
  advance(isKnown: (payment: Playable) => boolean): void {
    const step = this.story.steps[this.step];
    const next = this.story.steps[this.step + 1];
    if (step === undefined || next === undefined || Date.now() - this.since < step.forMs) return;
    if (this.story.isPatient && !isKnown(this)) return;
    this.step += 1;
    this.since = Date.now();
    this.take(next);
  }

  protected abstract take(step: Step): void;
}

type PayOut = ProofStage['payOut'];

/** A payment at the provider of the specification. */
export class PlayedPayment extends Playable {
  readonly answers: Answered[] = [];
  private report: Json;

  constructor(
    quoteId: string,
    story: Story,
    readonly recipient: string,
    private readonly payOut: PayOut,
  ) {
    super(quoteId, story);
    this.report = statusObject(quoteId);
  }

  protected take({ more, status, payout }: Step): void {
    this.report = { ...this.report, ...more, status };
    if (payout === undefined) return;
    const outputTxHash = this.payOut(this, payout);
    this.report['execution'] = { ...(this.report['execution'] as Json), outputTxHash };
  }

  tell(): string {
    const text = JSON.stringify(this.report);
    if (this.answers.at(-1)?.text !== text)
      this.answers.push({ at: Date.now(), step: this.step, status: String(this.report['status']), text });
    return text;
  }
}

/** A provider of the specification, whose payments play their stories, and which may fall sick. */
export class StoryProvider {
  /** All payments; in a run with several providers also those of the others. */
  readonly payments = new Map<string, Playable>();
  private readonly own = new Map<string, PlayedPayment>();
  private sickness: Sickness | 'throttle' | null = null;

  private constructor(
    private readonly receiver: HttpReceiver,
    private readonly stories: Random,
    /** The random numbers for decisions that depend on the order of requests, which no seed decides. */
    private readonly moods: Random,
    private readonly storyOf: (random: Random) => Story,
    private readonly payOut: PayOut,
  ) {}

  static async start(
    random: Random,
    storyOf = makeStory,
    payOut: PayOut = () => null,
  ): Promise<StoryProvider> {
    const receiver = await HttpReceiver.start(undefined, { keepsRequests: false });
    const provider = new StoryProvider(receiver, random.fork(), random.fork(), storyOf, payOut);
    receiver.answer((request) => provider.respond(request));
    return provider;
  }

  get url(): string {
    return this.receiver.url;
  }

  /** Starts this sickness, which lasts until a call with null. */
  fall(sickness: Sickness | 'throttle' | null): void {
    this.sickness = sickness;
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private respond(request: ReceivedRequest): ScriptedAnswer | 'hang' | 'reset' {
    const quoteId = STATUS_PATH.exec(request.path)?.[1];
    const ill = this.illAnswer();
    if (ill !== null) return ill;
    if (quoteId !== undefined) return this.status(quoteId);
    if (request.path === '/api/quote') return json(200, this.quote(request));
    if (request.path === '/api/chains') return json(200, { success: true, chains: CHAINS });
    return json(404, { success: false, error: 'Not found' });
  }

  private illAnswer(): ScriptedAnswer | 'hang' | 'reset' | null {
    if (this.sickness === null) return null;
    if (this.sickness === 'fail') return json(500, { success: false, error: 'Internal error' });
    if (this.sickness === 'throttle')
      return {
        ...json(429, { success: false, error: 'Too many requests' }),
        headers: { 'retry-after': '2' },
      };
    return this.sickness;
  }

  private status(quoteId: string): ScriptedAnswer {
    const payment = this.own.get(quoteId);
    if (payment === undefined) return json(404, { success: false, error: 'Quote not found' });
    if (!this.moods.chance(payment.story.flakiness))
      return { status: 200, headers: JSON_TYPE, body: payment.tell() };
    const flaw = FLAWS[Math.floor(this.moods.next() * (FLAWS.length + 1))];
    if (flaw !== undefined) return { headers: JSON_TYPE, ...flaw };
    const delayMs = this.moods.between(...SLOW_MS);
    return { status: 200, headers: JSON_TYPE, body: payment.tell(), delayMs };
  }

  private quote(request: ReceivedRequest): Json {
    const quoteId = randomUUID();
    const body = request.json as Json;
    const story = this.storyOf(this.stories);
    const payment = new PlayedPayment(quoteId, story, String(body['recipient']), this.payOut);
    this.own.set(quoteId, payment);
    this.payments.set(quoteId, payment);
    return quoteObject(quoteId, body);
  }
}

function json(status: number, body: Json): ScriptedAnswer {
  return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}
