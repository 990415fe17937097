import type { KubeObject } from '@orrery/kinds'
import { fieldInvalid, invalid, serviceUnavailable } from '@orrery/kinds/values'
import type { ChangeFeed } from '../../store/change-feed.js'
import type { Store } from '../../store/types.js'
import { decideFamilies, type Families } from './families.js'
import type { Family, ServiceNetwork } from './network.js'
import { Pool } from './pool.js'
import {
  allocatesNodePorts,
  isHeadless,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
  type ServiceSpec,
} from './spec.js'

const FIRST_NODE_PORT = 30_000
const LAST_NODE_PORT = 32_767
/** Node ports below this offset are reserved for static allocation. */
const STATIC_NODE_PORTS = 86
const BUCKET = 'services'

/** Releases an allocation. */
type Undo = () => void

/**
 * The allocated addresses and node ports by UID of the Service, so that a new Service of the same name is a different
 * owner. It starts from the stored Services and follows their changes.
 */
export class ServiceAllocations {
  readonly #networks: ReadonlyMap<Family, ServiceNetwork>
  readonly #families: Families
  readonly #ports = new Pool(LAST_NODE_PORT - FIRST_NODE_PORT + 1, STATIC_NODE_PORTS)

  constructor(store: Store, feed: ChangeFeed, networks: readonly [ServiceNetwork, ...ServiceNetwork[]]) {
    this.#networks = new Map(networks.map((network) => [network.family, network]))
    this.#families = [networks[0].family, ...networks.slice(1).map(({ family }) => family)]
    for (const entry of store.page({ bucket: BUCKET, namespace: undefined }).entries) this.#hold(entry.object())
    feed.on(BUCKET, ({ type, entry, previous }) => {
      if (previous !== undefined) this.#release(previous.object(), type === 'DELETED' ? undefined : entry.object())
      if (type !== 'DELETED') this.#hold(entry.object())
    })
  }

  /** Sets the IP families of a new or changed spec in place. */
  decideFamilies(spec: ServiceSpec, before: ServiceSpec | undefined, name: string): void {
    decideFamilies(spec, before, this.#families, name)
  }

  /**
   * Allocates addresses and ports of a spec with known families, in place. Returns a function that releases new ones.
   */
  allocate(spec: ServiceSpec, uid: string, name: string): Undo {
    const undos: Undo[] = []
    const undo = () => {
      for (const one of undos.splice(0)) one()
    }
    try {
      this.#allocateAddresses(spec, uid, name, undos)
      this.#allocatePorts(spec, uid, name, undos)
    } catch (error) {
      undo()
      throw error
    }
    return undo
  }

  #allocateAddresses(spec: ServiceSpec, uid: string, name: string, undos: Undo[]): void {
    if (!needsClusterIp(spec) || isHeadless(spec)) return
    const addresses = (spec.ipFamilies ?? []).map((family, i) => {
      const network = this.#networks.get(family) as ServiceNetwork
      const ip = spec.clusterIPs?.[i] ?? ''
      return ip === '' ? takeAny(network, uid, name, undos) : takeGiven(network, ip, spec, uid, name, undos)
    })
    spec.clusterIPs = addresses
    if (addresses[0] !== undefined) spec.clusterIP = addresses[0]
  }

  #allocatePorts(spec: ServiceSpec, uid: string, name: string, undos: Undo[]): void {
    if (needsNodePorts(spec)) {
      const byPort = new Map<number, number>()
      for (const { port, nodePort = 0 } of spec.ports ?? [])
        if (nodePort !== 0 && !byPort.has(port)) byPort.set(port, nodePort)
      spec.ports = (spec.ports ?? []).map((port, i) => {
        const given = port.nodePort ?? 0
        if (given === 0 && !allocatesNodePorts(spec)) return port
        const wanted = given === 0 ? (byPort.get(port.port) ?? 0) : given
        const nodePort = wanted === 0 ? this.#takeAnyPort(uid, 'nodePort', undos) : wanted
        const problem = this.#takePort(nodePort, uid, undos)
        if (problem !== undefined) throw invalidService(name, `spec.ports[${i}].nodePort`, nodePort, problem)
        byPort.set(port.port, nodePort)
        return { ...port, nodePort }
      })
    }
    if (!needsHealthCheckPort(spec)) return
    const { healthCheckNodePort: wanted = 0 } = spec
    const problem = wanted === 0 ? undefined : this.#takePort(wanted, uid, undos)
    if (problem !== undefined) throw invalidService(name, 'spec.healthCheckNodePort', wanted, problem)
    if (wanted === 0) spec.healthCheckNodePort = this.#takeAnyPort(uid, 'HealthCheck NodePort 0', undos)
  }

  #takeAnyPort(uid: string, what: string, undos: Undo[]): number {
    const number = this.#ports.takeAny(uid)
    if (number === undefined) throw serviceUnavailable(`failed to allocate a ${what}: range is full`)
    undos.push(() => this.#ports.free(number, uid))
    return FIRST_NODE_PORT + number
  }

  #takePort(port: number, uid: string, undos: Undo[]): string | undefined {
    if (port < FIRST_NODE_PORT || port > LAST_NODE_PORT) {
      return `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${LAST_NODE_PORT}`
    }
    const number = port - FIRST_NODE_PORT
    if (this.#ports.isHeldBy(number, uid)) return undefined
    if (!this.#ports.take(number, uid)) return 'provided port is already allocated'
    undos.push(() => this.#ports.free(number, uid))
    return undefined
  }

  #hold(service: KubeObject): void {
    const uid = service.metadata.uid ?? ''
    for (const ip of addressesOf(service)) this.#networkOf(ip)?.take(ip, uid)
    for (const port of portsOf(service)) this.#ports.take(port - FIRST_NODE_PORT, uid)
  }

  #release(before: KubeObject, after: KubeObject | undefined): void {
    const uid = before.metadata.uid ?? ''
    const keptIps = new Set(after === undefined ? [] : addressesOf(after))
    const keptPorts = new Set(after === undefined ? [] : portsOf(after))
    for (const ip of addressesOf(before)) if (!keptIps.has(ip)) this.#networkOf(ip)?.free(ip, uid)
    for (const port of portsOf(before)) if (!keptPorts.has(port)) this.#ports.free(port - FIRST_NODE_PORT, uid)
  }

  #networkOf(ip: string): ServiceNetwork | undefined {
    for (const network of this.#networks.values()) if (network.contains(ip)) return network
    return undefined
  }
}

function takeAny(network: ServiceNetwork, uid: string, name: string, undos: Undo[]): string {
  const ip = network.takeAny(uid)
  if (ip === undefined)
    throw serviceUnavailable(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`)
  undos.push(() => network.free(ip, uid))
  return ip
}

function takeGiven(
  network: ServiceNetwork,
  ip: string,
  spec: ServiceSpec,
  uid: string,
  name: string,
  undos: Undo[],
): string {
  const refuse = (why: string) =>
    invalidService(name, 'spec.clusterIPs', spec.clusterIPs, `failed to allocate IP ${ip}: ${why}`)
  if (!network.contains(ip)) throw refuse('the provided network does not match the current range')
  if (network.isHeldBy(ip, uid)) return ip
  if (!network.take(ip, uid)) throw refuse('provided IP is already allocated')
  undos.push(() => network.free(ip, uid))
  return ip
}

function specOf(service: KubeObject): ServiceSpec {
  return (service.spec ?? {}) as ServiceSpec
}

function addressesOf(service: KubeObject): readonly string[] {
  const spec = specOf(service)
  return isHeadless(spec) ? [] : (spec.clusterIPs ?? [])
}

function portsOf(service: KubeObject): number[] {
  const { ports = [], healthCheckNodePort = 0 } = specOf(service)
  return [...ports.map(({ nodePort = 0 }) => nodePort), healthCheckNodePort].filter((port) => port !== 0)
}

function invalidService(name: string, field: string, value: unknown, why: string): Error {
  return invalid({ group: '', kind: 'Service' }, name, [fieldInvalid(field, value, why)])
}
