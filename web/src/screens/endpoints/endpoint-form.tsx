import type { FormEvent, ReactNode } from 'react';

import type { Endpoint } from '../../api/types.ts';
import { EVENT_TYPES, OPERATIONAL_TYPES } from '../../format/words.ts';
import { Check, Checkboxes, fieldError, TextField } from '../../ui/form.tsx';
import form from '../../ui/form.module.css';
import { ProblemNote } from '../../ui/notes.tsx';
import { textIn } from '../../ui/form-text.ts';

export type EventTypeName = (typeof EVENT_TYPES | typeof OPERATIONAL_TYPES)[number];

export interface EndpointInput {
  readonly url: string;
  readonly description: string | null;
  readonly eventTypes: EventTypeName[];
}

interface EndpointFormProps {
  readonly endpoint?: Endpoint;
  readonly error: unknown;
  readonly onSubmit: (input: EndpointInput, data: FormData) => void;
  readonly children: ReactNode;
}

/** URL, description and event types, for a new or an existing endpoint. */
export function EndpointForm({ endpoint, error, onSubmit, children }: EndpointFormProps) {
  const named = { url: fieldError(error, 'url'), description: fieldError(error, 'description') };
  const isNamed = named.url !== undefined || named.description !== undefined;
  const chosen: readonly string[] = endpoint?.eventTypes.length ? endpoint.eventTypes : EVENT_TYPES;

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const isChosen = (type: EventTypeName): boolean => data.getAll('eventTypes').includes(type);
    const types = [...EVENT_TYPES, ...OPERATIONAL_TYPES].filter(isChosen);
    const description = textIn(data, 'description');
    const input = {
      url: textIn(data, 'url'),
      description: description === '' ? null : description,
      // An empty list stands for all types of payments, so that types of later releases are included.
      eventTypes: EVENT_TYPES.every(isChosen) && !OPERATIONAL_TYPES.some(isChosen) ? [] : types,
    };
    onSubmit(input, data);
  }

  return (
    <form onSubmit={submit} className={form['form']}>
      <TextField
        name="url"
        label="URL"
        type="url"
        isRequired
        autoFocus
        placeholder="https://shop.example/webhooks/paybell"
        defaultValue={endpoint?.url ?? ''}
        error={named.url}
      />
      <TextField
        name="description"
        label="Name"
        hint="What you call it; shown instead of the URL."
        maxLength={500}
        defaultValue={endpoint?.description ?? ''}
        error={named.description}
      />
      <Checkboxes legend="Events">
        {EVENT_TYPES.map((type) => (
          <Check key={type} name="eventTypes" value={type} defaultChecked={chosen.includes(type)}>
            <code>{type.replace('payment.', '')}</code>
          </Check>
        ))}
      </Checkboxes>
      <Checkboxes legend="For the people on call">
        {OPERATIONAL_TYPES.map((type) => (
          <Check key={type} name="eventTypes" value={type} defaultChecked={chosen.includes(type)}>
            <code>{type}</code>
          </Check>
        ))}
      </Checkboxes>
      {error === null || isNamed ? null : <ProblemNote error={error} />}
      {children}
    </form>
  );
}
