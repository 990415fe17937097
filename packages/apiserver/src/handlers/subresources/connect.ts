import type { KubeObject } from '@orrery/kinds'
import { badRequest, notFound } from '@orrery/kinds/values'
import type { Exchange } from '../../http/exchange.js'
import { isWebSocketRequest } from '../../http/subprotocols.js'
import type { Identity } from '../../identity/identity.js'
import { PendingWrite, type Registry } from '../../registry/registry.js'
import type { RequestTarget } from '../../request/target.js'
import { callContext, type ResourceCall } from '../resource.js'
import { type ConnectOptions, connectOptionsOf } from './connect-options.js'

/**
 * Serves a subresource that reaches into a running workload: `pods/log`, `pods/exec`, `nodes/proxy`, …. `options` is what
 * admission made of the query; undefined for `pods/log`.
 */
export type Connector = (
  exchange: Exchange,
  target: RequestTarget,
  identity: Identity,
  options: ConnectOptions | undefined,
) => void | Promise<void>

const INTO_CONTAINER = new Set(['log', 'exec', 'attach'])
/** What a WebSocket, which has to be a GET, needs the permission to create for. */
const CREATING = new Set(['exec', 'attach', 'portforward'])
const NO_LOG = Buffer.alloc(0)

/** Passes a connection on to the node that runs the workload, after admission. Without a node the refusal is final. */
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
      // What has not run yet has said nothing yet.
      return exchange.reply(200, { 'Content-Type': 'text/plain' }, NO_LOG)
    }
    if (node === '') throw badRequest(`pod ${target.name} does not have a host assigned`)
  }
  if (connector !== undefined) return connector(exchange, target, identity, options)
  // Not a 503, which clients repeat for minutes: no node will come.
  throw badRequest(`no node of this cluster serves ${plural}/${target.subresource}`)
}

/** Asks admission, webhooks included, which may change what is asked for. */
async function admitted(registry: Registry, call: ResourceCall, options: ConnectOptions): Promise<ConnectOptions> {
  // Options have no metadata, unlike everything else that admission is shown.
  const object = options as unknown as KubeObject
  const written = { object, oldObject: undefined, dryRun: false, options: {} }
  const pending = new PendingWrite(callContext(call), 'CONNECT', written)
  await registry.admission.mutate(pending)
  await registry.admission.validate(pending)
  return pending.object as unknown as ConnectOptions
}

/** What is proxied to may be given as `name:port` or `scheme:name:port`. */
function proxiedName(given: string): string {
  const parts = given.split(':')
  return (parts.length === 3 ? parts[1] : parts[0]) ?? ''
}

interface PodContainers {
  containers?: { name: string }[]
  initContainers?: { name: string }[]
  ephemeralContainers?: { name: string }[]
}

/** A pod of several containers needs one to be named, and it must be there. */
function checkContainer(pod: KubeObject, target: RequestTarget, asked: string): void {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = (pod.spec ?? {}) as PodContainers
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
