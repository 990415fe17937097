import { badRequest, type KubeObject, notFound, serviceUnavailable } from '@orrery/kube'
import type { Exchange } from '../../http/exchange.js'
import type { Identity } from '../../identity.js'
import type { Registry } from '../../registry/registry.js'
import type { RequestTarget } from '../../request/target.js'
import type { ResourceCall } from '../resource.js'

/** Serves a subresource that reaches into a running workload: `pods/log`, `pods/exec`, `nodes/proxy`, …. */
export type Connector = (exchange: Exchange, target: RequestTarget, identity: Identity) => void | Promise<void>

const INTO_CONTAINER = new Set(['log', 'exec', 'attach'])
const NO_LOG = Buffer.alloc(0)

/** Passes a connection on to whoever runs the workloads. Without one, says so. */
export async function connect(registry: Registry, call: ResourceCall, connector: Connector | undefined): Promise<void> {
  const { target, logic, exchange, identity } = call
  const { bucket } = logic.resource.storage
  const name = target.subresource === 'proxy' ? proxiedName(target.name) : target.name
  const entry = registry.store.get(bucket, call.namespace, name)
  if (entry === undefined) throw notFound({ group: logic.resource.group, resource: logic.resource.plural }, name)
  if (bucket === 'pods') {
    const pod = entry.object()
    if (INTO_CONTAINER.has(target.subresource)) checkContainer(pod, target)
    const node = (pod.spec as { nodeName?: string } | undefined)?.nodeName ?? ''
    if (node === '' && target.subresource === 'log') {
      // What has not run yet has said nothing yet.
      return exchange.reply(200, { 'Content-Type': 'text/plain' }, NO_LOG)
    }
    if (node === '') throw badRequest(`pod ${target.name} does not have a host assigned`)
  }
  if (connector !== undefined) return connector(exchange, target, identity)
  throw serviceUnavailable(`no node of this cluster serves ${logic.resource.plural}/${target.subresource}`)
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
function checkContainer(pod: KubeObject, target: RequestTarget): void {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = (pod.spec ?? {}) as PodContainers
  const asked = target.query.get('container')
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
