import type { ObjectRef } from '@orrery/kinds'
import { badRequest } from '@orrery/kinds/values'
import { NotStarted } from './kubelet/container/not-started.js'
import { type LogQuery, logRequestOf } from './kubelet/logs/log-query.js'
import { type MetricsGroup, metricsGroup, type NodeUsage } from './kubelet/metrics/metrics-group.js'
import type { PodRun } from './kubelet/pod/pod-run.js'
import type { GateExchange } from './kubelet/streaming/gate-exchange.js'
import {
  optionsIn,
  type StreamRequest,
  serveAttachment,
  serveExec,
  serveForwarding,
} from './kubelet/streaming/pod-streams.js'
import { type KubevirtPlugin, kubevirtPlugin } from './kubevirt/admission/plugin.js'
import { cloneAccess } from './kubevirt/clone-access.js'
import type { KubevirtHost } from './kubevirt/subresources/call.js'
import { type SubresourceGroup, subresourceGroups } from './kubevirt/subresources/group.js'

/** The target of a request. */
export interface GateTarget {
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  readonly query: LogQuery
}

/** `options` are the options of the subresource, such as `PodExecOptions`. */
export type GateConnector = (
  exchange: GateExchange,
  target: GateTarget,
  identity: unknown,
  options: unknown,
) => Promise<void>

/** The interface of a node to the gate. */
export interface GatedNode {
  now(): Date
  find(ref: ObjectRef): PodRun | undefined
  /** Measures the current resource usage. */
  usage(): Promise<NodeUsage>
  /** The virtual machines, if the node runs them. */
  readonly kubevirt?: KubevirtHost
}

export interface GateOptions {
  /** Whether to serve KubeVirt. A node with the option `kubevirt` then runs it. Defaults to false. */
  readonly kubevirt?: boolean
}

/**
 * Connects an API server with its nodes, like the connection from kube-apiserver to kubelets. It is created before
 * both: the server gets its `connectors` and `groups`, and nodes that start later get the gate.
 */
export class NodeGate {
  readonly #nodes = new Set<GatedNode>()

  /** For the server: handlers of `exec`, `attach`, `portforward` and `log` connections. */
  readonly connectors: Readonly<Record<string, GateConnector>> = {
    'pods/log': (exchange, target) => this.#log(exchange, target),
    'pods/exec': (exchange, target, _, options) => serveExec(exchange, this.#reached(target, options)),
    'pods/attach': (exchange, target, _, options) => serveAttachment(exchange, this.#reached(target, options)),
    'pods/portforward': (exchange, target, _, options) => serveForwarding(exchange, this.#reached(target, options)),
    'pods/proxy': refuse,
  }

  /**
   * For the server: the API group `metrics.k8s.io` with the usage of nodes and pods, and the group
   * `subresources.kubevirt.io` if KubeVirt is served.
   */
  readonly groups: readonly (MetricsGroup | SubresourceGroup)[]

  /** For the server: the defaults and checks of KubeVirt's kinds, if it is served. */
  readonly admission: () => readonly KubevirtPlugin[]

  constructor({ kubevirt = false }: GateOptions = {}) {
    const metrics = metricsGroup(
      () => Promise.all(Array.from(this.#nodes, (node) => node.usage())),
      () => this.#now(),
    )
    const hostOf = () => this.#kubevirt()
    this.groups = kubevirt ? [metrics, ...subresourceGroups(hostOf)] : [metrics]
    const plugin = kubevirtPlugin(
      cloneAccess(() => hostOf()?.client),
      () => this.#now(),
    )
    this.admission = () => (kubevirt ? [plugin] : [])
  }

  /** Registers a node. Returns a function that unregisters it. */
  open(node: GatedNode): () => void {
    this.#nodes.add(node)
    return () => {
      this.#nodes.delete(node)
    }
  }

  #now(): Date {
    return [...this.#nodes][0]?.now() ?? new Date()
  }

  #kubevirt(): KubevirtHost | undefined {
    for (const { kubevirt } of this.#nodes) if (kubevirt !== undefined) return kubevirt
    return undefined
  }

  #reached({ namespace, name }: GateTarget, options: unknown): StreamRequest {
    for (const node of this.#nodes) {
      const run = node.find({ namespace, name })
      if (run !== undefined) return { pod: name, run, options: optionsIn(options) }
    }
    throw badRequest(`pod ${JSON.stringify(name)} is not running on a node of this cluster`)
  }

  async #log(exchange: GateExchange, target: GateTarget): Promise<void> {
    const { namespace, name, query } = target
    for (const node of this.#nodes) {
      const run = node.find({ namespace, name })
      if (run !== undefined) return sendLog(exchange, target, run, node.now())
    }
    const container = query.get('container')
    const which = container === '' ? '' : `container ${JSON.stringify(container)} in `
    throw badRequest(`${which}pod ${JSON.stringify(name)} is waiting to start: ContainerCreating`)
  }
}

async function sendLog(exchange: GateExchange, { query }: GateTarget, run: PodRun, now: Date): Promise<void> {
  const request = logRequestOf(query, now)
  const source = found(() => run.logOf(query.get('container') || run.firstContainer, query.flag('previous')))
  const closed = new AbortController()
  const sink = exchange.stream(200, { 'Content-Type': 'text/plain' })
  let drained: (() => void) | undefined
  const go = () => {
    drained?.()
    drained = undefined
  }
  sink.onDrain(go)
  sink.onClose(() => {
    closed.abort()
    go()
  })
  for await (const piece of source.read(request, closed.signal)) {
    if (closed.signal.aborted) return
    if (sink.write(piece)) continue
    await new Promise<void>((resolve) => {
      drained = resolve
      if (closed.signal.aborted) go()
    })
  }
  sink.end()
}

function found<T>(look: () => T): T {
  try {
    return look()
  } catch (error) {
    if (error instanceof NotStarted) throw badRequest(error.message)
    throw error
  }
}

async function refuse(_exchange: GateExchange, { subresource, name }: GateTarget): Promise<void> {
  throw badRequest(`pod ${JSON.stringify(name)} is on an embedded node, which has no ${subresource}`)
}
