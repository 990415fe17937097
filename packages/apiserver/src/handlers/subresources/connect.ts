import { badRequest, notFound, serviceUnavailable } from '@orrery/kube'
import type { Exchange } from '../../http/exchange.js'
import type { Identity } from '../../identity.js'
import type { Registry } from '../../registry/registry.js'
import type { RequestTarget } from '../../request/target.js'
import type { ResourceCall } from '../resource.js'

/** Serves a subresource that reaches into a running workload: `pods/log`, `pods/exec`, `nodes/proxy`, …. */
export type Connector = (exchange: Exchange, target: RequestTarget, identity: Identity) => void | Promise<void>

/** Passes a connection on to whoever runs the workloads. Without one, says so. */
export async function connect(registry: Registry, call: ResourceCall, connector: Connector | undefined): Promise<void> {
  const { target, logic, exchange, identity } = call
  const { bucket } = logic.resource.storage
  const entry = registry.store.get(bucket, call.namespace, target.name)
  if (entry === undefined) throw notFound({ group: logic.resource.group, resource: logic.resource.plural }, target.name)
  if (connector !== undefined) return connector(exchange, target, identity)
  if (bucket === 'pods') {
    const node = (entry.object().spec as { nodeName?: string } | undefined)?.nodeName ?? ''
    if (node === '') throw badRequest(`pod ${target.name} does not have a host assigned`)
  }
  throw serviceUnavailable(`no node of this cluster serves ${logic.resource.plural}/${target.subresource}`)
}
