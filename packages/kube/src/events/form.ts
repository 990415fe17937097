import { CoreEvent } from '@orrery/kinds/core'
import { Event } from '@orrery/kinds/events'
import { formatMicroTime, formatTime, isNotFound } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import type { CallOptions } from '../client/options.js'
import type { EventRecord, Series } from './event.js'

/** The API of an event: `events.k8s.io/v1` or the core group. */
export interface EventForm {
  create(client: KubeClient, record: EventRecord, series: Series | undefined, call: CallOptions): Promise<unknown>
  /** Updates the count. */
  count(client: KubeClient, record: EventRecord, series: Series, call: CallOptions): Promise<unknown>
}

export const eventsForm: EventForm = {
  create(client, record, series, call) {
    const { name, namespace, related, time, ...fields } = record
    const event = {
      metadata: { name, namespace },
      eventTime: formatMicroTime(time),
      ...fields,
      ...(related !== undefined && { related }),
      ...(series !== undefined && { series: seriesOf(series) }),
    }
    return client.create(Event, event, call)
  },
  count: (client, record, series, call) => client.patch(Event, record, { series: seriesOf(series) }, call),
}

/** Events of the core group, with counts and timestamps, as kubectl shows them. */
export const coreForm: EventForm = {
  create(client, record, series, call) {
    const { name, namespace, regarding, related, note, time, reportingController } = record
    const event = {
      metadata: { name, namespace },
      involvedObject: regarding,
      ...(related !== undefined && { related }),
      type: record.type,
      reason: record.reason,
      action: record.action,
      message: note,
      source: { component: reportingController },
      reportingComponent: reportingController,
      reportingInstance: record.reportingInstance,
      firstTimestamp: formatTime(time),
      ...countsOf(series ?? { count: 1, last: time }),
    }
    return client.create(CoreEvent, event, call)
  },
  // Of combined events, the last note is shown.
  count: (client, record, series, call) =>
    client.patch(CoreEvent, record, { message: record.note, ...countsOf(series) }, call),
}

/** Writes an event. One that the server has deleted in the meantime is created again. */
export async function writeEvent(
  form: EventForm,
  client: KubeClient,
  record: EventRecord,
  series: Series | undefined,
  call: CallOptions,
): Promise<void> {
  if (series !== undefined) {
    try {
      await form.count(client, record, series, call)
      return
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  await form.create(client, record, series, call)
}

function seriesOf({ count, last }: Series) {
  return { count, lastObservedTime: formatMicroTime(last) }
}

function countsOf({ count, last }: Series) {
  return { count, lastTimestamp: formatTime(last) }
}
