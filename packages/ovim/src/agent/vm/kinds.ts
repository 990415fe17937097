import type { JsonObject, Kind, NamespacedObject } from '@orrery/kinds'

/** The parts of KubeVirt's and CDI's kinds that the agent reads. */
export interface KubeVirtCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

export interface VirtualMachine extends NamespacedObject {
  readonly spec: {
    readonly runStrategy?: string
    readonly running?: boolean
    readonly template: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> }
      readonly spec: {
        readonly domain: {
          readonly cpu?: { readonly cores?: number; readonly sockets?: number; readonly threads?: number }
          readonly memory?: { readonly guest?: string }
          readonly resources?: { readonly requests?: Readonly<Record<string, string>> }
          readonly [more: string]: unknown
        }
        readonly [more: string]: unknown
      }
    }
    readonly dataVolumeTemplates?: readonly {
      readonly spec?: {
        readonly storage?: { readonly resources?: { readonly requests?: { readonly storage?: string } } }
      }
    }[]
    readonly [more: string]: unknown
  }
  readonly status?: {
    readonly printableStatus?: string
    readonly runStrategy?: string
    readonly conditions?: readonly KubeVirtCondition[]
    readonly stateChangeRequests?: readonly JsonObject[]
  }
}

export const VirtualMachine: Kind<VirtualMachine> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  scope: 'Namespaced',
}

export interface VirtualMachineInstance extends NamespacedObject {
  readonly status?: {
    readonly phase?: string
    readonly nodeName?: string
    readonly interfaces?: readonly { readonly name?: string; readonly ipAddress?: string }[]
    readonly conditions?: readonly KubeVirtCondition[]
  }
}

export const VirtualMachineInstance: Kind<VirtualMachineInstance> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
  scope: 'Namespaced',
}
