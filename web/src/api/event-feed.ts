import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';

import { parseExactly } from '../format/json.ts';
import { EVENT_TYPES } from '../format/words.ts';
import { request } from './request.ts';
import type { PaymentEvent } from './types.ts';

/** `live`: events arrive as they happen; `broken`: the connection is being restored; `off`: no screen needs it. */
export type FeedState = 'off' | 'broken' | 'live';
type Listener = (event: PaymentEvent) => void;

const RETRY_MS = 5_000;

/**
 * The stream of all events, shared by the screens of one page. A hidden page keeps no connection; later the stream resumes at
 * the last event.
 */
class EventFeed {
  private readonly listeners = new Set<Listener>();
  private readonly watchers = new Set<() => void>();
  private source: EventSource | null = null;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private lastId: string | null = null;
  private current: FeedState = 'off';

  get state(): FeedState {
    return this.current;
  }

  listen(listener: Listener): () => void {
    if (this.listeners.size === 0) document.addEventListener('visibilitychange', this.adapt);
    this.listeners.add(listener);
    this.adapt();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      document.removeEventListener('visibilitychange', this.adapt);
      this.close('off');
      this.lastId = null;
    };
  }

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  private readonly adapt = (): void => {
    if (document.hidden || this.listeners.size === 0) this.close('off');
    else if (this.source === null) this.open();
  };

  private open(): void {
    clearTimeout(this.retry);
    const after = this.lastId === null ? '' : `?after=${encodeURIComponent(this.lastId)}`;
    const source = new EventSource(`/api/events/stream${after}`);
    this.source = source;
    source.addEventListener('open', () => this.become('live'));
    source.addEventListener('error', () => void this.onError(source));
    for (const type of EVENT_TYPES) source.addEventListener(type, this.onEvent);
  }

  private readonly onEvent = ({ data, lastEventId }: MessageEvent<string>): void => {
    this.lastId = lastEventId;
    const event = parseExactly(data) as PaymentEvent;
    for (const listener of this.listeners) listener(event);
  };

  /** EventSource reconnects by itself, unless it was refused: then the session may have ended. */
  private async onError(source: EventSource): Promise<void> {
    this.become('broken');
    if (source.readyState !== EventSource.CLOSED || source !== this.source) return;
    this.close('broken');
    await request('/api/whoami').catch(() => undefined);
    this.retry = setTimeout(this.adapt, RETRY_MS);
  }

  private close(state: FeedState): void {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
    this.become(state);
  }

  private become(state: FeedState): void {
    if (state === this.current) return;
    this.current = state;
    for (const watcher of this.watchers) watcher();
  }
}

const feed = new EventFeed();

/** Calls back for each new event while the component is shown. */
export function useEvents(onEvent: Listener, isOn = true): void {
  const handle = useEffectEvent(onEvent);
  useEffect(() => (isOn ? feed.listen((event) => handle(event)) : undefined), [isOn]);
}

export function useFeedState(): FeedState {
  return useSyncExternalStore(feed.watch, () => feed.state);
}
