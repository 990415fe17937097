import { serviceUnavailable } from '@orrery/kinds/values'
import type { GateExchange } from '../../kubelet/streaming/gate-exchange.js'
import { KUBEVIRT_VERSIONS, SUBRESOURCE_GROUP } from '../names.js'
import { optionsIn } from './body.js'
import type { KubevirtHost, SubresourceAction } from './call.js'
import { INSTANCE_ACTIONS, INSTANCE_VIEWS } from './instance-actions.js'
import { VM_ACTIONS } from './vm-actions.js'

/** The part of an HTTP connection of the API server that a handler needs. */
export interface SubresourceExchange extends GateExchange {
  body(limit: number): Buffer | Promise<Buffer>
}

export interface SubresourceTarget {
  readonly namespace: string
  readonly resource: string
  readonly name: string
  readonly subresource: string
}

/** An API group in the form that the embedded API server takes. */
export interface SubresourceGroup {
  readonly group: string
  readonly version: string
  readonly resources: readonly {
    readonly plural: string
    readonly kind: string
    readonly namespaced: boolean
    /** None: the resources themselves are in another group. */
    readonly verbs: readonly []
    readonly subresources: readonly {
      readonly name: string
      readonly kind: string
      readonly verbs: readonly ('get' | 'update')[]
    }[]
  }[]
  serve(exchange: SubresourceExchange, target: SubresourceTarget): Promise<void>
}

const MAX_BODY = 1024 * 1024
const CONNECTS: ReadonlySet<string> = new Set(['console', 'vnc', 'portforward'])
const NOTHING = Buffer.alloc(0)

const ACTIONS: Readonly<Record<string, Readonly<Record<string, SubresourceAction>>>> = {
  virtualmachines: VM_ACTIONS,
  virtualmachineinstances: { ...INSTANCE_ACTIONS, ...INSTANCE_VIEWS },
}

/** Returns the API group of start, stop, pause and the other actions, in all its versions. */
export function subresourceGroups(hostOf: () => KubevirtHost | undefined): SubresourceGroup[] {
  return KUBEVIRT_VERSIONS.map((version) => ({
    group: SUBRESOURCE_GROUP,
    version,
    resources: [
      resource('virtualmachines', 'VirtualMachine', Object.keys(VM_ACTIONS)),
      resource('virtualmachineinstances', 'VirtualMachineInstance', [
        ...Object.keys(INSTANCE_ACTIONS),
        ...Object.keys(INSTANCE_VIEWS),
      ]),
    ],
    async serve(exchange, { namespace, resource: plural, name, subresource }) {
      const host = hostOf()
      if (host === undefined) throw serviceUnavailable('KubeVirt is not running on this cluster: its node is stopped')
      const action = ACTIONS[plural]?.[subresource] as SubresourceAction
      const options = isRead(subresource) ? {} : optionsIn(await exchange.body(MAX_BODY))
      const { client, machines } = host
      const reply = await action({ client, machines, now: () => host.now(), namespace, name, options, exchange })
      if (reply === undefined) return
      if (typeof reply === 'number') return exchange.reply(reply, {}, NOTHING)
      exchange.reply(200, { 'Content-Type': 'application/json' }, Buffer.from(JSON.stringify(reply)))
    },
  }))
}

function isRead(subresource: string): boolean {
  return subresource in INSTANCE_VIEWS || CONNECTS.has(subresource)
}

function resource(plural: string, kind: string, names: readonly string[]): SubresourceGroup['resources'][number] {
  const subresources = names.map((name) => ({
    name,
    kind,
    verbs: [isRead(name) ? ('get' as const) : ('update' as const)],
  }))
  return { plural, kind, namespaced: true, verbs: [], subresources }
}
