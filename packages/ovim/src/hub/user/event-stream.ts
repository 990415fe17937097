import type { ServerResponse } from 'node:http'
import type { ApiObject, Kind } from '@orrery/kinds'
import { SYSTEM_NAMESPACE } from '../../kinds/names.js'
import { Operation } from '../../kinds/operation.js'
import { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { organizationNamespace } from '../../wire/vdc-payloads.js'
import type { Caller } from '../access/identity.js'
import { accessTo } from '../access/permissions.js'
import type { Answer, Call } from '../server/router.js'
import type { UserContext } from './context.js'
import { operationJson, vdcJson, vmJson } from './resources.js'

/** What a stream shows of a kind. */
const SOURCES = [
  { event: 'vm', kind: VirtualMachineRequest, toJson: vmJson },
  { event: 'vdc', kind: VirtualDataCenter, toJson: vdcJson },
  { event: 'operation', kind: Operation, toJson: operationJson },
] as unknown as readonly { event: string; kind: Kind<ApiObject, object>; toJson: (object: ApiObject) => object }[]

const PING_MS = 15_000
/** A reader that is so far behind is ended: it connects again and reads the lists. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/**
 * Server-sent events for every change of virtual machines, virtual data centers and operations that the caller may watch. Permission is
 * reviewed for each event, with the answers of the last ten seconds, so that a member who is removed sees nothing more.
 */
export function eventStream(context: UserContext) {
  return async (call: Call): Promise<Answer> => {
    const { caller, query, signal } = call
    const organization = query.get('organization')
    const only = organization === null ? undefined : organizationNamespace(organization)
    if (only !== undefined) await context.require(caller, 'watch', VirtualMachineRequest as never, { namespace: only })
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      stream: (response) => follow(context, caller, only, response, signal),
    }
  }
}

async function follow(
  context: UserContext,
  caller: Caller,
  only: string | undefined,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const send = (text: string) => {
    if (signal.aborted) return
    response.write(text)
    if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy()
  }
  /** Events are sent in order, though each waits for its review. */
  let last = Promise.resolve()
  const offer = (event: string, kind: Kind<ApiObject, object>, type: string, object: ApiObject, json: object) => {
    const { namespace = '' } = object.metadata
    if (only !== undefined ? namespace !== only : namespace === SYSTEM_NAMESPACE) return
    last = last.then(async () => {
      const allowed = await context.permissions
        .allows(caller, accessTo('watch', kind, { namespace }))
        .catch(() => false)
      if (allowed) send(`event: ${event}\ndata: ${JSON.stringify({ type, object: json })}\n\n`)
    })
  }
  const stops = SOURCES.map(({ event, kind, toJson }) => {
    let isStarting = true
    const stop = context.informers.of(kind).subscribe(({ type, before, after }) => {
      const object = after ?? before
      // The stream is of changes. Lists show what exists.
      if (!isStarting && object !== undefined) offer(event, kind, type, object, toJson(object))
    })
    isStarting = false
    return stop
  })
  send(': connected\n\n')
  const ping = () => {
    send(': ping\n\n')
    cancel = context.clock.after(PING_MS, ping)
  }
  let cancel = context.clock.after(PING_MS, ping)
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  cancel()
  for (const stop of stops) stop()
  response.end()
}
