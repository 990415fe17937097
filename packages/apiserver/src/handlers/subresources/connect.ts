import type { KubeObject } from '@orrery/kinds'
import type { PodSpec } from '@orrery/kinds/core'
import { badRequest, notFound } from '@orrery/kinds/values'
import type { Exchange } from '../../http/exchange.js'
import { isWebSocketRequest } from '../../http/subprotocols.js'
import type { Identity } from '../../identity/identity.js'
import { PendingWrite, type Registry } from '../../registry/registry.js'
import type { RequestTarget } from '../../request/target.js'
import { callContext, type ResourceCall } from '../resource.js'
import { type ConnectOptions, connectOptionsOf } from './connect-options.js'

/**
 * Serves a subresource that connects to a running workload: `pods/log`, `pods/exec`, `nodes/proxy`, …. `options` are
 * the admitted options; undefined for `pods/log`.
 */
export type Connector = (
  exchange: Exchange,
  target: RequestTarget,
  identity: Identity,
  options: ConnectOptions | undefined,
) => void | Promise<void>

const INTO_CONTAINER = new Set(['log', 'exec', 'attach'])
/** The subresources for which a WebSocket, which is always a GET, requires the `create` permission. */
const CREATING = new Set(['exec', 'attach', 'portforward'])
const NO_LOG = Buffer.alloc(0)

/** Forwards a connection to the node of the workload, after admission. Without a node it returns a permanent error. */
export async function connect(registry: Registry, call: ResourceCall, connector: Connector | undefined): Promise<void> {
  const { target, logic, exchange, identity } = call
  const { bucket } = logic.resource.storage
  const { plural } = logic.resource
  const asked = connectOptionsOf(plural, target.subresource, target.query, target.rest)
  if (CREATING.has(target.subresource) && isWebSocketRequest(exchange)) await call.requireAccess('create')
  const options = asked === undefined ? undefined : await admitted(registry, call, asked)
  const name = target.subresource === 'proxy' ? proxiedName(target.name) : target.name
  const entry = registry.store.get(bucket, call.namespace, name)
  if (entry === undefined) throw notFound({ group: logic.resource.group, resource: plural }, name)
  if (bucket === 'pods') {
    const pod = entry.object()
    const container = options === undefined ? target.query.get('container') : String(options.container ?? '')
    if (INTO_CONTAINER.has(target.subresource)) checkContainer(pod, target, container)
    const node = (pod.spec as { nodeName?: string } | undefined)?.nodeName ?? ''
    if (node === '' && target.subresource === 'log') {
      // A pod that has not run has an empty log.
      return exchange.reply(200, { 'Content-Type': 'text/plain' }, NO_LOG)
    }
    if (node === '') throw badRequest(`pod ${target.name} does not have a host assigned`)
  }
  if (connector !== undefined) return connector(exchange, target, identity, options)
  // Not a 503, which clients retry for minutes although there will be no node.
  throw badRequest(`no node of this cluster serves ${plural}/${target.subresource}`)
}

/** Runs admission, including webhooks, which may change the options. */
async function admitted(registry: Registry, call: ResourceCall, options: ConnectOptions): Promise<ConnectOptions> {
  // Unlike other objects in admission, options have no metadata.
  const object = options as unknown as KubeObject
  const written = { object, oldObject: undefined, dryRun: false, options: {} }
  const pending = new PendingWrite(callContext(call), 'CONNECT', written)
  await registry.admission.mutate(pending)
  await registry.admission.validate(pending)
  return pending.object as unknown as ConnectOptions
}

/** The target of a proxy can be `name:port` or `scheme:name:port`. */
function proxiedName(given: string): string {
  const parts = given.split(':')
  return (parts.length === 3 ? parts[1] : parts[0]) ?? ''
}

/** Requires a container name for a pod with several containers, and checks that it exists. */
function checkContainer(pod: KubeObject, target: RequestTarget, asked: string): void {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = (pod.spec ?? {}) as Partial<PodSpec>
  if (asked === '') {
    if (containers.length === 1) return
    const initial = initContainers.length === 0 ? '' : ` or one of the init containers: [${names(initContainers)}]`
    throw badRequest(
      `a container name must be specified for pod ${target.name}, choose one of: [${names(containers)}]${initial}`,
    )
  }
  const all = [...containers, ...initContainers, ...ephemeralContainers]
  if (!all.some(({ name }) => name === asked)) {
    throw badRequest(`container ${asked} is not valid for pod ${target.name}`)
  }
}

function names(containers: readonly { name: string }[]): string {
  return containers.map(({ name }) => name).join(' ')
}
