import type { JsonObject } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { GateExchange } from '../../kubelet/streaming/gate-exchange.js'
import { VirtualMachineInstance } from '../kinds/instance.js'
import { VirtualMachine } from '../kinds/virtual-machine.js'
import type { Machines } from '../machine/machines.js'
import { noInstance, noVm } from './errors.js'

/** What the subresources need of the node that runs the machines. */
export interface KubevirtHost {
  readonly client: KubeClient
  readonly machines: Machines
  now(): Date
}

/** A request for a subresource. */
export interface SubresourceCall extends KubevirtHost {
  readonly namespace: string
  readonly name: string
  /** The body. */
  readonly options: JsonObject
  readonly exchange: GateExchange
}

/** The answer: a status without a body, or an object. Nothing if the exchange continues. */
export type SubresourceReply = 200 | 202 | object | undefined

export type SubresourceAction = (call: SubresourceCall) => Promise<SubresourceReply>

export async function vmOf({ client, namespace, name }: SubresourceCall): Promise<VirtualMachine> {
  const vm = await client.find(VirtualMachine, { namespace, name })
  if (vm === undefined) throw noVm(name)
  return vm
}

export function findInstance({
  client,
  namespace,
  name,
}: SubresourceCall): Promise<VirtualMachineInstance | undefined> {
  return client.find(VirtualMachineInstance, { namespace, name })
}

export async function instanceOf(call: SubresourceCall): Promise<VirtualMachineInstance> {
  const instance = await findInstance(call)
  if (instance === undefined) throw noInstance(call.name)
  return instance
}
